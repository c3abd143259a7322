"""The contract of a step: its name, inputs, outputs and computation."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from cqa_spark.lake.declared_products import published_product
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.table import Table


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


Product = Table | JournalTable | Artifact | Published
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
        """Modules that the step's tasks import, and whose import takes a second or more."""
        return ()

    @abstractmethod
    def execute(self, run: Run, counts: StepRecord) -> None:
        """Read, compute, write.

        Args:
            run: holds the inputs and receives the outputs.
            counts: receives the numbers of rows.
        """
