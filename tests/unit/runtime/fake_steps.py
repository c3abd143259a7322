"""Steps that note that they ran, and a run that records them; neither needs Spark."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.runtime.flow import Artifact, Product, Step


def products(names: str) -> tuple[Product, ...]:
    return tuple(Artifact(name) for name in names.split())


class FakeStep(Step):
    """A step with the products of a test.

    Args:
        name: of the step.
        reads: names of products.
        writes: names of products.
        if_present: names of products that it reads where the run has them.
        delivers: whether it follows the run's success.
        records_parts: whether it records its parts instead of itself.
        input_bytes: bytes that it reads from files.
        do: what it does.
    """

    def __init__(
        self,
        name: str,
        reads: str = "",
        writes: str = "",
        *,
        if_present: str = "",
        delivers: bool = False,
        records_parts: bool = False,
        input_bytes: int | None = None,
        do: Callable[[], object] = lambda: None,
    ) -> None:
        self.name = name  # type: ignore[misc]
        self.delivers = delivers  # type: ignore[misc]
        self.records_parts = records_parts  # type: ignore[misc]
        self._reads, self._writes, self._if_present = products(reads), products(writes), products(if_present)
        self._input_bytes = input_bytes
        self._do = do

    def input_bytes(self) -> int | None:
        return self._input_bytes

    def reads(self) -> tuple[Product, ...]:
        return self._reads

    def reads_if_present(self) -> tuple[Product, ...]:
        return self._if_present

    def writes(self) -> tuple[Product, ...]:
        return self._writes

    def execute(self, run: Run, counts: StepRecord) -> None:
        self._do()
        counts.rows_out = 1
        run.add_artifact(self.name, counts.step)


class FakeRun:
    """Notes which steps began, were recorded, and executed."""

    def __init__(self) -> None:
        self.lake = SimpleNamespace(spark=object())
        self.began: list[str] = []
        self.seen: dict[str, tuple[set[str], set[str]]] = {}
        self.recorded: list[StepRecord] = []
        self.executed: list[str] = []
        self._noting = threading.Lock()

    def seen_by(self, step: str, reads: Collection[str], writes: Collection[str]) -> FakeRun:
        self.seen[step] = set(reads), set(writes)
        return self

    @contextmanager
    def step(self, name: str) -> Iterator[StepRecord]:
        with self._noting:
            self.began.append(name)
        record = StepRecord(name)
        yield record
        with self._noting:
            self.recorded.append(record)

    def add_artifact(self, name: str, path: str) -> None:
        with self._noting:
            self.executed.append(name)
