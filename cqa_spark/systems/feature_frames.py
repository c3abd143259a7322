"""The examples with their features, as rankers take them; joined once for all systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import DataFrame

from cqa_spark.features.assembly import assemble, feature_names
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.systems.recipes import groups_of
from cqa_spark.systems.system import System

FrameOf = Callable[[System], DataFrame]


@contextmanager
def feature_frames(run: Run, systems: Sequence[System], examples: DataFrame, *, few: bool = False) -> Iterator[FrameOf]:
    """Join the features of all systems to examples, and persist them while the block runs.

    Args:
        run: a run whose feature groups are computed.
        systems: the systems to build frames for.
        examples: rows of the schema ``EXAMPLES``, all of one task.
        few: whether they are a small part of the run's. Then they are counted first, and if they are small enough for
            a broadcast join, the values of all others are not shuffled.

    Yields:
        What gives a system's frame: the columns of the examples and the features that the system looks at.
    """
    values = {name: run.read(group_class(name).table()) for name in groups_of(systems)}
    if few:
        examples.persist().count()
        values = {name: _of_examples(name, each, examples) for name, each in values.items()}
    joined = assemble(examples, values).persist()
    try:
        yield lambda system: joined.select(*examples.columns, *feature_names(system.feature_groups))
    finally:
        joined.unpersist()
        if few:
            examples.unpersist()


def _of_examples(group: str, values: DataFrame, examples: DataFrame) -> DataFrame:
    key = list(group_class(group).table().key)
    return values.join(examples.select(*key), on=key, how="left_semi")
