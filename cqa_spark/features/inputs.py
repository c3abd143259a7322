"""The input of feature groups: the tables of a community and settings of the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.history.cut import Cut


@dataclass(frozen=True)
class FeatureInputs:
    """The tables that groups compute from; declared in ``cqa_spark.lake.schemas``.

    ``examples`` contains the examples to compute. The other tables may contain unrelated rows. ``users``, ``votes``,
    ``badges`` and ``post_links`` are None if the corpus lacks them, ``scores`` without upstream systems, ``embeddings``
    if no group uses vectors, and ``retrieved`` if the candidates were not retrieved.

    Attributes:
        cut: the time up to which as-of groups use events.
        top_tags: number of tag slots in use.
        sites: by the name of a table here, the sites with rows of it; for ``with_needed_tables``.
    """

    examples: DataFrame
    posts: DataFrame
    comments: DataFrame
    documents: DataFrame
    texts: DataFrame
    users: DataFrame | None = None
    votes: DataFrame | None = None
    badges: DataFrame | None = None
    scores: DataFrame | None = None
    embeddings: DataFrame | None = None
    post_links: DataFrame | None = None
    retrieved: DataFrame | None = None
    cut: Cut = field(default_factory=Cut)
    top_tags: int = 24
    sites: Mapping[str, Collection[str]] = field(default_factory=dict)

    def needed(self, table: str) -> DataFrame:
        """A table that not every corpus has.

        Args:
            table: users, votes, badges, scores, embeddings, post_links or retrieved.

        Raises:
            ContractError: the table is missing.
        """
        found: DataFrame | None = getattr(self, table)
        if found is None:
            raise ContractError(
                f"a feature group needs the table {table}", _REMEDIES.get(table, f"use a dump with {table}")
            )
        return found

    def keep_examples(self, condition: Column) -> FeatureInputs:
        """The same tables with fewer examples."""
        return replace(self, examples=self.examples.where(condition))


_REMEDIES = {
    "scores": "name the systems that compute the scores under upstream in the system's file",
    "embeddings": "run the text analysis again with this feature group selected",
    "retrieved": "the group is for the task duplicate, whose candidates are retrieved",
}


def known_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs of the examples, with authors and times.

    Args:
        inputs: the tables; only the examples are read.

    Returns:
        site, query_id, candidate_id, thread_id, asker_id and author_id (null where unknown), asked_at, answered_at and
        cut (timestamps; null where unknown).
    """
    return inputs.examples.select(
        "site", "query_id", "candidate_id", "thread_id", "asker_id", "author_id", "asked_at", "answered_at",
        F.expr(inputs.cut.sql).alias("cut"),
    )  # fmt: skip


def dated_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs whose cut is known; others have no as-of values."""
    return known_pairs(inputs).where(F.col("cut").isNotNull())
