"""Steps and flows: the contract of a step, a flow of ordered steps that is checked on construction, and its execution.

Steps are timed, counted and recorded; independent ones run concurrently.
"""

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import ClassVar, TypeAlias

from cqa_spark.errors import InputError
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run, published_product
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.table import Table
from cqa_spark.process.signals import Stopped
from cqa_spark.spark.frames import cancel, persistence_scope
from cqa_spark.spark.internals import in_another_thread


@dataclass(frozen=True)
class Artifact:
    """An output of a step other than a table: a model, a report, a file of predictions.

    Attributes:
        name: name in the run's record.
    """

    name: str


@dataclass(frozen=True)
class Published:
    """An input of a step: a table of the published run, which ``Run.published`` reads.

    Attributes:
        table: the table.
    """

    table: Table

    @property
    def name(self) -> str:
        """The name among the products of a step."""
        return published_product(self.table)


Product: TypeAlias = Table | JournalTable | Artifact | Published
"""A table or artifact that a step reads or writes."""


class Step(ABC):
    """One node of the flow of data.

    A step is created before Spark starts. It declares its products, so that a flow can be checked, drawn, and run with
    independent steps concurrently.

    Attributes:
        name: shown in the progress output and in the run's record.
        delivers: whether the step follows the run's success, as publishing does; steps that deliver run one by one.
        compiled_from: bytes of input from which the step takes longer without compiled plans than their compilation.
        imports: slow modules that ``execute`` imports; they are imported while Spark starts.
        records_parts: whether the step records its parts as steps of their own, instead of itself.
    """

    name: ClassVar[str]
    delivers: ClassVar[bool] = False
    records_parts: ClassVar[bool] = False
    compiled_from: ClassVar[int] = 64 << 20
    imports: ClassVar[tuple[str, ...]] = ()

    def reads(self) -> tuple[Product, ...]:
        """The required inputs."""
        return ()

    def reads_if_present(self) -> tuple[Product, ...]:
        """The optional inputs, read if the run has them."""
        return ()

    def writes(self) -> tuple[Product, ...]:
        """The possible outputs."""
        return ()

    def prepare(self) -> None:
        """Check what can be checked before Spark starts.

        Raises:
            CqaError: the step cannot succeed.
        """
        return

    def input_bytes(self) -> int | None:
        """Bytes of text that the step reads from files, once it is prepared; None if it reads none, or unknown."""
        return None

    def task_imports(self) -> Collection[str]:
        """Modules that the step's tasks import, and whose import takes half a second or more."""
        return ()

    @abstractmethod
    def execute(self, run: Run, counts: StepRecord) -> None:
        """Read, compute, write.

        Args:
            run: holds the inputs and receives the outputs.
            counts: receives the numbers of rows.
        """


WIDTH = 110
"""Width of a drawn line, in characters."""


@dataclass(frozen=True)
class Flow:
    """Ordered steps whose inputs are all available.

    Attributes:
        name: of the job.
        steps: steps that write the run's tables, then those that deliver.
        given: names of tables and artifacts that the run has before the first step, because it continues an earlier
            run; None if not known yet, which disables the check.

    Raises:
        InputError: a step reads a product that no earlier step writes and that is not given.
    """

    name: str
    steps: tuple[Step, ...]
    given: Collection[str] | None = ()

    def __post_init__(self) -> None:
        if self.given is None:
            return
        available = set(self.given)
        for step in self.steps:
            missing = [product.name for product in step.reads() if product.name not in available]
            if missing:
                raise InputError(
                    f"{self.name}: the step {step.name} reads {', '.join(missing)}, which the run does not have",
                    "run the earlier jobs with the same --run-id first, or run all steps with: cqa run",
                )
            available |= _names(step.writes())

    @property
    def making(self) -> tuple[Step, ...]:
        """The steps that make the run's tables."""
        return tuple(step for step in self.steps if not step.delivers)

    @property
    def delivering(self) -> tuple[Step, ...]:
        """The steps that follow the run's success."""
        return tuple(step for step in self.steps if step.delivers)

    def compiles_plans(self) -> bool:
        """Whether compiled plans save more time than their compilation takes; True if the size of the input is unknown.

        The steps are prepared. Some take more of Java's time for a byte of input than others.
        """
        sizes = [size for step in self.steps if (size := step.input_bytes()) is not None]
        return not sizes or sum(sizes) > min(step.compiled_from for step in self.steps)

    def task_imports(self) -> frozenset[str]:
        """The slow modules that tasks of the steps import."""
        return frozenset().union(*(step.task_imports() for step in self.steps))

    def waits_for(self) -> dict[int, set[int]]:
        """By the index of each table-writing step, the indices of the earlier steps that it depends on.

        A step waits for the steps that write its inputs or outputs, and for those that read its outputs.
        """
        return {number: set(self._waits(number)) for number in range(len(self.making))}

    def draw(self) -> str:
        """The steps with what they read and write, one or more lines each."""
        width = max((len(step.name) for step in self.steps), default=0)
        return "\n".join(line for step in self.steps for line in _drawn(step, width))

    def _waits(self, number: int) -> Iterator[int]:
        step = self.making[number]
        reads, writes = _names(_all_reads(step)), _names(step.writes())
        for before, other in enumerate(self.making[:number]):
            other_writes = _names(other.writes())
            if other_writes & (reads | writes) or writes & _names(_all_reads(other)):
                yield before


def _all_reads(step: Step) -> tuple[Product, ...]:
    return (*step.reads(), *step.reads_if_present())


def _names(products: tuple[Product, ...]) -> set[str]:
    return {product.name for product in products}


def _drawn(step: Step, width: int) -> Iterator[str]:
    optional = [f"[{product.name}]" for product in step.reads_if_present()]
    reads = [product.name for product in step.reads()] + optional
    writes = [product.name for product in step.writes()]
    yield from _wrapped(f"  {step.name:<{width}}  reads   ", reads)
    yield from _wrapped(f"  {'':<{width}}  writes  ", writes)


def _wrapped(heading: str, names: list[str]) -> list[str]:
    text = ", ".join(names) or "nothing"
    return textwrap.wrap(text, WIDTH, initial_indent=heading, subsequent_indent=" " * len(heading))


CONCURRENT_STEPS = 2
"""Maximum number of concurrent steps: each may cache tables, and runs Spark jobs concurrently itself."""


def execute_steps(flow: Flow, run: Run) -> None:
    """Run the steps that make the run's tables, each as soon as its dependencies have finished.

    Args:
        flow: the flow.
        run: what the steps read and write.

    Raises:
        the error of the first step that failed, after the running steps have ended.
    """
    Thread(target=_import_modules, args=(flow,)).start()  # no daemon: Python may not end within an import in C++
    assert run.lake.spark is not None  # started here, so that the threads inherit its properties
    waiting, finished = flow.waits_for(), set[int]()
    running: dict[Future[None], int] = {}
    with ThreadPoolExecutor(CONCURRENT_STEPS, thread_name_prefix="step") as threads:
        try:
            while waiting or running:
                for number in [number for number, others in waiting.items() if others <= finished]:
                    del waiting[number]
                    target = in_another_thread(execute_step)
                    running[threads.submit(target, flow.making[number], run)] = number
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    finished.add(running.pop(future))
        except Stopped:
            cancel(running)
            raise
        finally:
            for future in running:
                future.cancel()


def _import_modules(flow: Flow) -> None:
    """Import the slow modules of steps; a step that needs one that is missing says so itself."""
    for module in dict.fromkeys(module for step in flow.making for module in step.imports):
        with suppress(ImportError):
            import_module(module)


def execute_step(step: Step, run: Run) -> None:
    """Run one step with the products that it declares, record it, and release the rows that it persisted."""
    reads = {product.name for product in (*step.reads(), *step.reads_if_present())}
    seen = run.seen_by(step.name, reads, {product.name for product in step.writes()})
    recorded = nullcontext(StepRecord(step.name)) if step.records_parts else run.step(step.name)
    with persistence_scope(), recorded as counts:
        step.execute(seen, counts)
