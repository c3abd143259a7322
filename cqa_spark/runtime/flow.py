"""A flow: ordered steps, checked on construction."""

import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cqa_spark.errors import InputError
from cqa_spark.runtime.step import Product, Step

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
