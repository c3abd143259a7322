"""Badges: which badges the one who answered has.

A group declares its columns before any data is seen, so the columns are slots: slot 1 is the badge that was given most
often, over all sites together, because sites of the network share their badges' names. Which name has which slot is
what the group learns, a table that is saved with it. The paper's data had 86 names; there is room for more.
"""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, Reach, feature_values
from cqa_spark.features.history.pairs import dated_pairs
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup
from cqa_spark.features.materialize import materialize

BADGE_SLOTS = 100
_XU = "Xu et al. 2018, Table 2, Badges"
_NEVER = "timestamp '9999-12-31 00:00:00'"


def _features(condition: str, about: str) -> dict[FeatureColumn, str]:
    """A column per slot, each with the Spark SQL expression over ``first_at`` (an item a slot) that computes it."""
    return {
        FeatureColumn(f"badge_{slot:03}", f"1 where the user {about} the badge number {slot}", _XU): (
            f"if(first_at[{slot - 1}] {condition}, 1, 0)"
        )
        for slot in range(1, BADGE_SLOTS + 1)
    }


_SNAPSHOT = _features("is not null", "has")
_AS_OF = _features("<= cut", "had before the cut")


class BadgesSnapshotV1(LearnedTableGroup):
    """Badges held at the time of the dump."""

    name: ClassVar[str] = "badges_snapshot_v1"
    family: ClassVar[str] = "badges"
    about: ClassVar[str] = "badges that the one who answered holds, at the time of the dump"
    entity: ClassVar[Entity] = Entity.AUTHOR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_SNAPSHOT)
    reach: ClassVar[Reach] = Reach.AUTHOR
    learns_from_labels: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("badges",)
    reads_texts: ClassVar[bool] = False
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def fit(self, inputs: FeatureInputs) -> Self:
        """Number the names of the badges by how often they were given."""
        sites = inputs.examples.select("site").distinct()
        return type(self)(materialize(_numbered(inputs.needed("badges").join(F.broadcast(sites), on="site"))))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each author."""
        held = _first_awards(inputs.of_authors(inputs.needed("badges")), self.learned)
        authors = self.entities(inputs.examples).join(held, on=["author_id", "site"], how="left")
        values = feature_values(_SNAPSHOT)
        return _by_slot(authors).select(*self.entity.key, *values)


class BadgesAsOfV1(LearnedTableGroup):
    """Badges held at the cut; numbered by what was given until the last cut of the training part."""

    name: ClassVar[str] = "badges_asof_v1"
    family: ClassVar[str] = "badges"
    about: ClassVar[str] = "badges that the one who answered held at the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_AS_OF)
    reach: ClassVar[Reach] = Reach.HISTORY
    learns_from_labels: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("badges",)
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def fit(self, inputs: FeatureInputs) -> Self:
        """Number the names of the badges by how often they were given."""
        ends = F.broadcast(dated_pairs(inputs).groupBy("site").agg(F.max("cut").alias("end")))
        given = inputs.needed("badges").join(ends, on="site").where(F.col("earned_at") <= F.col("end"))
        return type(self)(materialize(_numbered(given)))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair; where the account is deleted nothing is known."""
        held = _first_awards(inputs.of_authors(inputs.needed("badges")), self.learned)
        pairs = dated_pairs(inputs).where(F.col("author_id").isNotNull())
        values = feature_values(_AS_OF)
        return _by_slot(pairs.join(held, on=["author_id", "site"], how="left")).select(*self.entity.key, *values)


def _numbered(badges: DataFrame) -> DataFrame:
    """Name and slot of the badges given most often; ties by name."""
    often = badges.where(F.col("name").isNotNull()).groupBy("name").agg(F.count(F.lit(1)).alias("awards"))
    order = [F.col("awards").desc(), F.col("name")]
    first = often.orderBy(*order).limit(BADGE_SLOTS)
    return first.select("name", F.row_number().over(Window.orderBy(*order)).alias("slot"))


def _first_awards(badges: DataFrame, learned: DataFrame) -> DataFrame:
    """For each user the time of the first award of every badge that it has: site, author_id, first_by_slot (a map)."""
    numbered = badges.join(F.broadcast(learned), on="name")
    awards = numbered.select(F.col("user_id").alias("author_id"), "site", "slot", "earned_at")
    # Together by user they stay so, by badge, as a map, and in the join with the pairs.
    together = awards.repartition("author_id", "site")
    first = together.groupBy("author_id", "site", "slot").agg(
        F.coalesce(F.min("earned_at"), F.expr(_NEVER)).alias("first_at")
    )
    by_slot = F.map_from_entries(F.collect_list(F.struct("slot", "first_at")))
    return first.groupBy("author_id", "site").agg(by_slot.alias("first_by_slot"))


def _by_slot(rows: DataFrame) -> DataFrame:
    """Add ``first_at``, an item a slot, null where there was no award; after the join, which so moves narrow rows."""
    in_order = F.expr(f"transform(sequence(1, {BADGE_SLOTS}), slot -> first_by_slot[slot])")
    return rows.withColumn("first_at", in_order)
