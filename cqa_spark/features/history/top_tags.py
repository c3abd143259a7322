"""The tags that have a column of their own: the site's first by votes, in fixed slots.

A group declares its columns before any data is seen, and which tags a site has is only known then. So the columns are
slots: slot 1 is the tag with the most votes, slot 2 the next. Every site has an order of its own, because sites hardly
share tags; what a column means is then the same on all of them: "the site's first tag". Which tag has which slot is
what the group learns, a table that is saved with it. A setting says how many slots are used; the others stay 0.
"""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.features.history.contributions import COUNTED, votes_received
from cqa_spark.features.history.pairs import dated_pairs
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup
from cqa_spark.features.materialize import materialize

TAG_SLOTS = 30
"""Columns declared; Xu et al. (2018, Table 3) tuned the number of tags to 24 and 25."""


_BALANCE = f"{COUNTED['up']} - {COUNTED['down']}"


class SnapshotTagGroup(LearnedTableGroup):
    """Base of groups that order the tags by the score of their questions at the time of the dump."""

    learns_from_labels: ClassVar[bool] = False
    reads_texts: ClassVar[bool] = False

    def fit(self, inputs: FeatureInputs) -> Self:
        """Order the tags of the sites that training examples come from."""
        sites = inputs.examples.select("site").distinct()
        questions = inputs.posts.where(F.col("post_type") == "question").join(F.broadcast(sites), on="site")
        votes = F.coalesce("score", F.lit(0)).cast("bigint")
        first = _first_tags(questions.select("site", "tags", votes.alias("votes")), inputs.top_tags)
        return type(self)(materialize(first))


class AsOfTagGroup(LearnedTableGroup):
    """Base of groups that order the tags by the votes that were known at the last cut of the training examples."""

    learns_from_labels: ClassVar[bool] = False
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("votes",)

    def fit(self, inputs: FeatureInputs) -> Self:
        """Order the tags of the sites that training examples come from."""
        ends = F.broadcast(dated_pairs(inputs).groupBy("site").agg(F.max("cut").alias("end")))
        questions = inputs.posts.where(F.col("post_type") == "question").join(ends, on="site")
        asked = questions.where(F.col("created_at") <= F.col("end")).select("site", "post_id", "tags")
        votes = votes_received(inputs.needed("votes")).join(ends, on="site").where(F.col("known_at") <= F.col("end"))
        balance = votes.groupBy("post_id", "site").agg(F.sum(F.expr(_BALANCE)).alias("votes"))
        voted = asked.join(balance, on=["post_id", "site"], how="left").na.fill(0, ["votes"])
        return type(self)(materialize(_first_tags(voted, inputs.top_tags)))


def with_slots(rows: DataFrame, learned: DataFrame) -> DataFrame:
    """Say which slots the tags of rows have.

    Args:
        rows: with ``site`` and ``tags``.
        learned: what a tag group learned: site, name, slot.

    Returns:
        The rows with ``slots``, numbers from 1 in ascending order; empty where no tag has one.
    """
    # One row a site with at most TAG_SLOTS entries: the rows look their tags up where they lie.
    entries = F.collect_list(F.struct("name", "slot"))
    slot_of = learned.groupBy("site").agg(F.map_from_entries(entries).alias("slot_of"))
    found = F.expr("filter(transform(array_distinct(tags), tag -> slot_of[tag]), slot -> slot is not null)")
    slots = F.coalesce(F.array_sort(found), F.array().cast("array<int>"))
    return rows.join(F.broadcast(slot_of), on="site", how="left").withColumn("slots", slots).drop("slot_of")


def _first_tags(questions: DataFrame, count: int) -> DataFrame:
    """The first tags of each site by the votes of their questions: site, name, slot."""
    tags = questions.select("site", F.explode(F.array_distinct("tags")).alias("name"), "votes")
    totals = tags.groupBy("site", "name").agg(F.sum("votes").alias("votes"))
    by_votes = Window.partitionBy("site").orderBy(F.col("votes").desc(), "name")
    ranked = totals.withColumn("slot", F.row_number().over(by_votes))
    return ranked.where(F.col("slot") <= count).select("site", "name", "slot")
