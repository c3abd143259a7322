"""BasicU: the account of who answered, and what it did and received."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, Reach, feature_values
from cqa_spark.features.history.answered import answered_questions
from cqa_spark.features.history.contributions import CONTRIBUTIONS, COUNTED, contributions
from cqa_spark.features.history.pairs import dated_pairs
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.history.totals import totals_at
from cqa_spark.features.inputs import FeatureInputs

_XU = "Xu et al. 2018, Table 2, BasicU"

_SNAPSHOT = {
    FeatureColumn("created", "time of registration, seconds since 1970", _XU, is_time=True): "created_at",
    FeatureColumn("up_votes", "up votes received", _XU): "up",
    FeatureColumn("down_votes", "down votes received", _XU): "down",
    FeatureColumn("reputation", "points at the time of the dump", _XU, 1.0): "reputation",
    FeatureColumn("questions", "questions asked", _XU): "asked",
    FeatureColumn("answers", "answers given, also several to one question", _XU): "answered",
    FeatureColumn("accepted", "answers that their questions name as accepted", _XU): "accepted",
    FeatureColumn("comments", "comments made", _XU): "commented",
}
"""Each column with the Spark SQL expression over a user's account and counts that computes it."""

_REPUTATION = "greatest(1, 1 + 10 * (up - own_up) - 2 * (down - own_down) + 15 * (accepted - own_accepted))"

_AS_OF = {
    FeatureColumn(
        "created", "time of registration, seconds since 1970; not known where that was after the cut", _XU, is_time=True
    ): "if(created_at <= cut, created_at, null)",
    FeatureColumn("up_votes", "up votes received in other threads before the cut", _XU): "up - own_up",
    FeatureColumn("down_votes", "down votes received in other threads before the cut", _XU): "down - own_down",
    FeatureColumn(
        "reputation",
        "1 + 10 an up vote - 2 a down vote + 15 an acceptance, at least 1, as of the columns beside",
        _XU,
        1.0,
    ): _REPUTATION,
    FeatureColumn("questions", "questions asked before the cut", _XU): "asked - own_asked",
    FeatureColumn("answers", "answers given in other threads before the cut", _XU): "answered - own_answered",
    FeatureColumn(
        "accepted", "answers in other threads accepted before the cut; a day's acceptances count from its end", _XU
    ): "accepted - own_accepted",
    FeatureColumn("comments", "comments made in other threads before the cut", _XU): "commented - own_commented",
}
"""Each column with the Spark SQL expression over a pair, its author's account and totals that computes it."""


class BasicUSnapshotV1(FeatureGroup):
    """The account as the dump shows it; its reputation contains the acceptance that is to be predicted."""

    name: ClassVar[str] = "basic_u_snapshot_v1"
    family: ClassVar[str] = "user"
    about: ClassVar[str] = "account, reputation and activity of who answered, at the time of the dump"
    entity: ClassVar[Entity] = Entity.AUTHOR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_SNAPSHOT)
    reach: ClassVar[Reach] = Reach.AUTHOR
    needs: ClassVar[tuple[str, ...]] = ("users", "votes")
    reads_texts: ClassVar[bool] = False
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each author; a deleted account is not known."""
        authors = self.entities(inputs.examples).withColumnRenamed("author_id", "user_id")
        counted = [F.sum(F.expr(sql)).alias(name) for name, sql in COUNTED.items() if name != "accepted"]
        counts = contributions(inputs).groupBy("site", "user_id").agg(*counted)
        answers = inputs.of_authors(answered_questions(inputs.posts))
        chosen = answers.where("is_accepted").groupBy("site", "user_id")
        accepted = chosen.agg(F.count(F.lit(1)).alias("accepted"))
        known = (
            authors.join(_accounts(inputs, "created_at", "reputation"), on=["user_id", "site"], how="left")
            .join(counts, on=["user_id", "site"], how="left")
            .join(accepted, on=["user_id", "site"], how="left")
            .na.fill(0, list(CONTRIBUTIONS))
        )
        values = feature_values(_SNAPSHOT)
        return known.select("site", F.col("user_id").alias("author_id"), *values)


class BasicUAsOfV1(FeatureGroup):
    """The account as it stood at the cut, without what the thread itself brought it.

    Reputation is rebuilt from votes by today's rules. The dumps do not tell the rest: bounties are left out, and so are
    the daily limit, edits, points from other sites, and votes on what was deleted since. Who accepts the own answer
    gets no points for it on the site, but does here.
    """

    name: ClassVar[str] = "basic_u_asof_v1"
    family: ClassVar[str] = "user"
    about: ClassVar[str] = "account, reputation and activity of who answered, as known at the cut, other threads only"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_AS_OF)
    reach: ClassVar[Reach] = Reach.HISTORY
    needs: ClassVar[tuple[str, ...]] = ("users", "votes")
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair; where the account is deleted nothing is known."""
        pairs = dated_pairs(inputs).where(F.col("author_id").isNotNull())
        moments = pairs.select(
            "site", F.col("author_id").alias("user_id"), "thread_id", F.col("cut").alias("known_at"),
            "query_id", "candidate_id", "cut",
        )  # fmt: skip
        totals = totals_at(
            moments, contributions(inputs), key=("user_id", "site"), values=COUNTED,
            within=("thread_id",), own=CONTRIBUTIONS,
        )  # fmt: skip
        known = totals.join(_accounts(inputs, "created_at"), on=["user_id", "site"], how="left")
        values = feature_values(_AS_OF)
        return known.select(*self.entity.key, *values)


def _accounts(inputs: FeatureInputs, *columns: str) -> DataFrame:
    return inputs.needed("users").select("site", "user_id", *columns)
