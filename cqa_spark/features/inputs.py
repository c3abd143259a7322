"""The input of feature groups: the tables of a community and settings of the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError

_MICROSECONDS_AN_HOUR = 3_600_000_000


@dataclass(frozen=True)
class Cut:
    """The time at which the candidates of a question are evaluated; as-of features use events up to it.

    Attributes:
        kind: ``question``, the time of the question; ``answer``, the time of each answer; ``delay``, ``hours`` after
            the question. An example of a night is evaluated at the cut of the night, whatever the kind.
        hours: the delay, in hours.
    """

    kind: str = "delay"
    hours: float = 24.0

    @property
    def sql(self) -> str:
        """SQL expression of the cut over columns of the examples; null where unknown."""
        delayed = f"timestamp_micros(unix_micros(asked_at) + {round(self.hours * _MICROSECONDS_AN_HOUR)})"
        otherwise = {"question": "asked_at", "answer": "answered_at", "delay": delayed}[self.kind]
        return f"coalesce(cut_at, {otherwise})"


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
        frame: DataFrame | None = getattr(self, table)
        if frame is None:
            raise ContractError(
                f"a feature group needs the table {table}", _REMEDIES.get(table, f"use a dump with {table}")
            )
        return frame

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


SNAPSHOT_CAUTION = (
    "computed from the state of the dump, as in the paper: it contains events after the acceptance, "
    "and partly the acceptance itself"
)


class DumpState(Enum):
    """Facts that an as-of group may read in the state of the dump, because tables do not record them at the cut."""

    EDITS = "texts and tags after the last edit"
    DELETED_ACCOUNTS = "who wrote, unless the account was deleted"


def with_other_state(inputs: FeatureInputs, states: Collection[DumpState]) -> FeatureInputs:
    """The tables as if every post had been edited once more, or every account deleted; for the audit.

    Args:
        inputs: the tables.
        states: the facts to change.
    """
    no_rows = F.lit(False)
    if DumpState.EDITS in states:
        edited = {
            "subject": F.when(F.col("subject").isNotNull(), F.lit("Edited?")),
            "body": F.when(F.col("body").isNotNull(), F.lit("<p>Not what it was.</p>")),
            "tags": F.when(F.col("tags").isNotNull(), F.array(F.lit("edited"))),
        }
        inputs = replace(inputs, posts=inputs.posts.withColumns(edited), documents=inputs.documents.where(no_rows))
    if DumpState.DELETED_ACCOUNTS in states:
        nobody = F.lit(None).cast("string")
        # Posts and comments of a deleted account keep a placeholder name.
        placeholder = F.coalesce("user_name", F.concat(F.lit("user"), "user_id"))
        anonymous = {"user_name": placeholder, "user_id": nobody}
        inputs = replace(
            inputs,
            examples=inputs.examples.withColumns({"asker_id": nobody, "author_id": nobody}),
            posts=inputs.posts.withColumns(anonymous),
            comments=inputs.comments.withColumns(anonymous),
            users=inputs.users and inputs.users.where(no_rows),
            badges=inputs.badges and inputs.badges.where(no_rows),
        )
    return inputs
