"""UTags: under which of the site's first tags the one who answered answers, and is accepted."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.votes import ACCEPTED, end_of_day
from cqa_spark.features.group import Entity, FeatureColumn, Reach, feature_values
from cqa_spark.features.history.answered import answered_questions
from cqa_spark.features.history.pairs import dated_pairs
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.history.top_tags import TAG_SLOTS, AsOfTagGroup, SnapshotTagGroup, with_slots
from cqa_spark.features.history.totals import totals_at
from cqa_spark.features.inputs import FeatureInputs

_XU = "Xu et al. 2018, Table 2, UTags"
_KINDS = {"answered": "answers", "accepted": "accepted answers"}
_SLOTS = range(1, TAG_SLOTS + 1)


def _count(kind: str, slot: int) -> str:
    return f"{kind}_{slot:02}"


_FEATURES = {
    FeatureColumn(
        _count(kind, slot), f"share of the site's tag number {slot} among the numbered tags of the user's {what}", _XU
    ): f"if({kind}_sum > 0, {_count(kind, slot)} / {kind}_sum, 0)"
    for kind, what in _KINDS.items()
    for slot in _SLOTS
}
"""Each column with the Spark SQL expression over a user's counts by tag, and their sums, that computes it."""

_COUNTS = {_count(kind, slot): f"if(array_contains(slots, {slot}), {kind}, 0)" for kind in _KINDS for slot in _SLOTS}
"""What an answer, or an acceptance, adds to each count: SQL over its ``slots`` and what of the two it is, 0 or 1."""


class UTagsSnapshotV1(SnapshotTagGroup):
    """All answers that the dump has, the thread's own among them."""

    name: ClassVar[str] = "u_tags_snapshot_v1"
    family: ClassVar[str] = "user_tags"
    about: ClassVar[str] = "tags under which the one who answered answers and is accepted, at the time of the dump"
    entity: ClassVar[Entity] = Entity.AUTHOR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.AUTHOR
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each author; all 0 for none of the tags."""
        slotted = with_slots(inputs.of_authors(answered_questions(inputs.posts)), self.learned)
        answers = slotted.select(
            "site", F.col("user_id").alias("author_id"), "slots",
            F.lit(1).alias("answered"), F.col("is_accepted").cast("int").alias("accepted"),
        )  # fmt: skip
        sums = [F.sum(F.expr(sql)).alias(name) for name, sql in _COUNTS.items()]
        counts = answers.groupBy("site", "author_id").agg(*sums)
        authors = self.entities(inputs.examples).join(counts, on=["author_id", "site"], how="left").na.fill(0)
        return _shares(authors, self.entity)


class UTagsAsOfV1(AsOfTagGroup):
    """Answers given, and acceptances known, before the cut, in other threads.

    The tags of a question are those of the dump: its posts do not tell when a tag was changed.
    """

    name: ClassVar[str] = "u_tags_asof_v1"
    family: ClassVar[str] = "user_tags"
    about: ClassVar[str] = "tags under which the one who answered answered and was accepted in other threads by the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.HISTORY

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair; where the account is deleted nothing is known."""
        pairs = dated_pairs(inputs).where(F.col("author_id").isNotNull())
        tags = inputs.posts.select("site", F.col("post_id").alias("query_id"), "tags")
        moments = with_slots(pairs.join(tags, on=["query_id", "site"]), self.learned).select(
            "site", F.col("author_id").alias("user_id"), "thread_id", F.col("cut").alias("known_at"),
            "query_id", "candidate_id", F.col("slots").alias("own_slots"),
        )  # fmt: skip
        answers = with_slots(inputs.of_authors(answered_questions(inputs.posts)), self.learned)
        known = totals_at(
            moments,
            _given_and_chosen(answers.where(F.col("user_id").isNotNull()), inputs.needed("votes")),
            key=("user_id", "site"),
            values=_COUNTS | {kind: kind for kind in _KINDS},
            within=("thread_id",),
            own=tuple(_KINDS),
        )
        # All answers of a thread have the thread's tags, so their number tells what they add to each.
        elsewhere = [
            (F.col(_count(kind, slot)) - F.when(F.array_contains("own_slots", slot), F.col(f"own_{kind}")).otherwise(0))
            .alias(_count(kind, slot))
            for kind in _KINDS
            for slot in _SLOTS
        ]  # fmt: skip
        return _shares(known.select(*self.entity.key, *elsewhere), self.entity)


def _given_and_chosen(answers: DataFrame, votes: DataFrame) -> DataFrame:
    """Answers as events of those who gave them, and acceptances, known from the end of their day on."""
    accepting = votes.where(F.col("vote_type_id") == ACCEPTED)
    # A sound dump has one acceptance an answer.
    chosen = accepting.groupBy("post_id", "site").agg(F.collect_list(end_of_day("created_at")).alias("chosen_at"))
    given = F.array(_event(F.col("created_at"), answered=1))
    accepted = F.transform(
        F.coalesce("chosen_at", F.array().cast("array<timestamp>")), lambda at: _event(at, accepted=1)
    )
    return answers.join(chosen, on=["post_id", "site"], how="left").select(
        "site", "user_id", "thread_id", "slots", F.inline(F.concat(given, accepted))
    )


def _event(known_at: Column, **given: int) -> Column:
    return F.struct(known_at.alias("known_at"), *[F.lit(given.get(kind, 0)).alias(kind) for kind in _KINDS])


def _shares(counts: DataFrame, entity: Entity) -> DataFrame:
    sums = [F.expr(" + ".join(_count(kind, slot) for slot in _SLOTS)).alias(f"{kind}_sum") for kind in _KINDS]
    values = feature_values(_FEATURES)
    return counts.select("*", *sums).select(*entity.key, *values)
