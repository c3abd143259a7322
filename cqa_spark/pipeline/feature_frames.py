"""The examples with their features, as rankers take them; joined once for all systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.assembly import assemble, feature_names
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.pipeline.recipes import groups_of
from cqa_spark.rankers.system import System

IN_TRAINING = "split = 'train'"
OUTSIDE_TRAINING = "split <> 'train'"

FrameOf = Callable[[System], DataFrame]


@contextmanager
def feature_frames(run: Run, systems: Sequence[System], *, task: str, condition: str) -> Iterator[FrameOf]:
    """Join the features of all systems to the examples, and hold them while the block lasts.

    Args:
        run: a run whose feature groups are computed.
        systems: the systems that frames are wanted for.
        task: the task whose examples are wanted.
        condition: which of them, SQL on the columns of the examples.

    Yields:
        What gives a system's frame: the columns of the examples and the features that the system looks at.
    """
    examples = run.read(EXAMPLES).where(F.col("task") == task).where(condition)
    values = {name: run.read(group_class(name).table()) for name in groups_of(systems)}
    joined = assemble(examples, values).persist()
    try:
        yield lambda system: joined.select(*examples.columns, *feature_names(system.feature_groups))
    finally:
        joined.unpersist()
