"""DataFrames of examples and features, the input of rankers; joined once for all systems."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.feature_table import assemble, feature_names, read_values, tables_of
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import Table
from cqa_spark.rankers.candidates import SEPARATOR, with_words
from cqa_spark.spark.frames import persisted
from cqa_spark.systems.recipes import groups_of, rank_by_words
from cqa_spark.systems.system import System

FrameOf = Callable[[System], DataFrame]


def frame_tables(systems: Sequence[System]) -> tuple[Table, ...]:
    """The tables to read for the frames of systems, in addition to the examples."""
    texts = (DOCUMENTS, TEXTS) if rank_by_words(systems) else ()
    return *tables_of(groups_of(systems)), *texts


def feature_frame(
    run: RunTables,
    systems: Sequence[System],
    examples: DataFrame,
    *,
    sites: Collection[str] | None = None,
    where: Column | str | None = None,
) -> DataFrame:
    """Join the features of systems to examples.

    Args:
        run: a run whose feature groups are computed.
        systems: the systems.
        examples: rows of the schema ``EXAMPLES``, all of one task.
        sites: the sites of the examples; None for all.
        where: a condition on site, query and candidate, without which examples are left out and values not joined; None
            for all.

    Returns:
        The columns of the examples, the words if any system reads texts, and the features of all systems.
    """
    groups = groups_of(systems)
    values = read_values(run, groups)
    if sites is not None:
        values = {pass_key: rows.where(F.col("site").isin(*sites)) for pass_key, rows in values.items()}
    if where is not None:
        examples = examples.where(where)
        values = {pass_key: rows.where(where) for pass_key, rows in values.items()}
    if rank_by_words(systems):
        examples = with_words(examples, run.read(DOCUMENTS), run.read(TEXTS))
    return assemble(examples, groups, values)


@contextmanager
def feature_frames(run: RunTables, systems: Sequence[System], examples: DataFrame) -> Iterator[FrameOf]:
    """Join the features of all systems to examples, and persist the result until the block ends.

    Args:
        run: as for ``feature_frame``.
        systems: as for ``feature_frame``.
        examples: as for ``feature_frame``.

    Yields:
        A function from a system to its DataFrame: the columns of the examples, the words if any system reads texts,
        and the system's features.
    """
    with persisted(feature_frame(run, systems, examples)) as (joined,):
        of_examples = [name for name in joined.columns if SEPARATOR not in name]
        yield lambda system: joined.select(*of_examples, *feature_names(system.feature_groups))
