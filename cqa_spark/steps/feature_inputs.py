"""Reads the inputs of feature groups from a run, and writes their values to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.feature_table import KEY, by_pass, feature_table, rows_of_passes
from cqa_spark.features.group import FeatureGroup, PassKey
from cqa_spark.features.inputs import Cut, FeatureInputs
from cqa_spark.features.query_pass import compute_outside_training, compute_pass, fit_groups
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.features.training_data import Fitted
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.activity import BADGES, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import UPSTREAM_SCORES
from cqa_spark.lake.schemas.retrieval import RETRIEVED
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import Table
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.changed_sites import Sites, of_sites

OPTIONAL = {
    "users": USERS,
    "votes": VOTES,
    "badges": BADGES,
    "scores": UPSTREAM_SCORES,
    "post_links": POST_LINKS,
    "retrieved": RETRIEVED,
}
"""Optional tables of a run, by their field in ``FeatureInputs``."""

IF_PRESENT = (*OPTIONAL.values(), DOCUMENTS, TEXTS, EMBEDDINGS)
"""The tables that ``feature_inputs`` reads if the run has them."""


def task_examples(run: RunTables, task: str) -> DataFrame:
    """The run's examples of a task."""
    return run.read(EXAMPLES).where(F.col("task") == task)


def text_tables(groups: Sequence[str], *, words: bool = False) -> tuple[Table, ...]:
    """The tables of analysed texts that are read.

    Args:
        groups: names of feature groups.
        words: whether a ranker reads texts as well.
    """
    texts = (DOCUMENTS, TEXTS) if words or reads_texts(groups) else ()
    return (*texts, EMBEDDINGS) if embedding_models(groups) else texts


def as_cut(settings: FeatureSettings) -> Cut:
    """The cut of as-of groups."""
    return Cut(settings.cut, settings.cut_hours)


@contextmanager
def feature_inputs(
    run: Run, examples: DataFrame, settings: FeatureSettings, *, sites: Sites = None
) -> Iterator[FeatureInputs]:
    """The run's tables, with some examples; tables that every group reads completely are persisted.

    Posts and comments are not persisted: a group reads few of their columns, which is fast from Parquet files.

    Args:
        run: the run.
        examples: rows of the schema ``EXAMPLES``.
        settings: the cut of as-of groups.
        sites: the sites of the examples.
    """
    optional = {name: of_sites(run.read(table), sites) for name, table in OPTIONAL.items() if run.has(table)}
    by_table = {
        name: run.files(table).rows_by_site()
        for name, table in {EXAMPLES.name: EXAMPLES, **OPTIONAL}.items()
        if run.has(table)
    }
    documents, texts = (_read_or_empty(run, table) for table in (DOCUMENTS, TEXTS))
    with persisted(examples, of_sites(documents, sites), texts) as (examples, documents, texts):
        yield FeatureInputs(
            examples=examples,
            posts=of_sites(run.read(POSTS), sites),
            comments=of_sites(run.read(COMMENTS), sites),
            documents=documents,
            texts=texts,
            embeddings=run.read(EMBEDDINGS) if run.has(EMBEDDINGS) else None,
            **optional,
            cut=as_cut(settings),
            top_tags=settings.top_tags,
            sites={
                name: [site for site in found if sites is None or site in sites] for name, found in by_table.items()
            },
        )


def _read_or_empty(run: Run, table: Table) -> DataFrame:
    """A table that only some groups read; None if the run has not analysed its texts."""
    if run.has(table):
        return run.read(table)
    return table.empty(run.lake.spark)


def fit_and_write(
    run: Run, groups: Iterable[tuple[type[FeatureGroup], FeatureInputs]], *, folds: int
) -> tuple[dict[str, FeatureGroup], int]:
    """Fit the fitted groups, and write the values of all; return the groups by name, and the number of rows.

    Args:
        run: the run to write to.
        groups: each with its inputs.
        folds: folds of the cross-fitting.
    """
    given = list(groups)
    # Groups whose tables are missing on some sites are computed for the examples of the other sites.
    distinct = list({id(inputs): inputs for _, inputs in given}.values())
    found: dict[str, Fitted[FeatureGroup]] = {}
    for inputs in distinct:
        found |= fit_groups([group for group, own in given if own is inputs], inputs, folds=folds)

    def compute(place: PassKey) -> DataFrame:
        here = [(group, inputs) for group, inputs in given if group.pass_key is place]
        by_inputs = [{group.name: found[group.name] for group, own in here if own is inputs} for inputs in distinct]
        parts = [
            compute_pass(fitted, inputs, folds) for fitted, inputs in zip(by_inputs, distinct, strict=True) if fitted
        ]
        return reduce(lambda one, other: one.join(other, on=list(KEY), how="full"), parts)

    groups_given = [group for group, _ in given]
    values = {place: compute(place) for place in by_pass(groups_given)}
    rows = run.write(feature_table(groups_given), rows_of_passes(values)) if values else 0
    return {name: each.on_all for name, each in found.items()}, rows


def write_outside_training(run: Run, groups: Mapping[str, FeatureGroup], inputs: FeatureInputs) -> int:
    """Write the values of fitted groups; return the number of rows."""
    values = {
        place: compute_outside_training({group.name: groups[group.name] for group in here}, inputs)
        for place, here in by_pass(map(type, groups.values())).items()
    }
    return run.write(feature_table(map(type, groups.values())), rows_of_passes(values)) if values else 0
