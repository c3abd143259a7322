"""The top tags of each site, in numbered slots.

A group declares its columns before it sees data, so the columns are numbered slots: slot 1 is the tag with the most
votes, slot 2 the next. Each site has its own order, because sites hardly share tags, and a column has the same meaning
on all sites: "the site's first tag". Fitting assigns tags to slots. A setting limits the number of slots in use; unused
slots are 0.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import DOWN, UP, end_of_day
from cqa_spark.features.author_batch import Longs
from cqa_spark.features.inputs import dated_pairs
from cqa_spark.features.learned_group import JsonState, NumberedGroup, StateGroup
from cqa_spark.features.training_data import Fitted, TrainingData

TAG_SLOTS = 30
"""Columns declared; Xu et al. (2018, Table 3) tuned the number of tags to 24 and 25."""

_SLOTS = np.arange(TAG_SLOTS)


class TopTags(JsonState):
    """The top tags of each site.

    Attributes:
        by_site: tag names in order, at most ``TAG_SLOTS``, by site.
    """

    file = "tags.json"

    by_site: dict[str, list[str]]

    def names(self) -> list[str]:
        """The tags in order, if they are those of one site; with several sites, a number has several names."""
        return next(iter(self.by_site.values())) if len(self.by_site) == 1 else []

    def masks(self, questions: pa.Table) -> Longs:
        """The slots of questions' tags: bit 0 is the site's first tag.

        Args:
            questions: ``site`` and ``tags``, a list; null is equivalent to an empty list.
        """
        tags = questions.column("tags").combine_chunks()
        # All tags of all questions in one array, and the index of the question of each.
        names = pc.list_flatten(tags)
        question = pc.list_parent_indices(tags).to_numpy()
        masks = np.zeros(len(tags), dtype=np.int64)
        for site in pc.unique(questions.column("site")).to_pylist():
            slots = pc.index_in(names, value_set=pa.array(self.by_site.get(site, []), pa.string()))
            of_site = pc.equal(questions.column("site"), site).fill_null(False).to_numpy()
            is_top_tag = slots.is_valid().to_numpy(zero_copy_only=False) & of_site[question]
            bits = np.left_shift(1, slots.fill_null(0).to_numpy()[is_top_tag].astype(np.int64))
            np.bitwise_or.at(masks, question[is_top_tag], bits)
        return masks


def by_slot(masks: Longs) -> NDArray[np.int64]:
    """A binary matrix with one row per mask and one column per slot."""
    bits: NDArray[np.int64] = (masks[:, None] >> _SLOTS) & 1
    return bits


def tags_by_score(training: TrainingData) -> TopTags:
    """Top tags per site of the training examples, by scores of their questions at the time of the dump."""
    inputs = training.inputs
    sites = inputs.examples.select("site").distinct()
    questions = inputs.posts.where(F.col("post_type") == "question").join(F.broadcast(sites), on="site")
    votes = F.coalesce("score", F.lit(0)).cast("bigint")
    return _first(questions.select("site", "tags", votes.alias("votes")), inputs.top_tags)


def tags_by_votes(training: TrainingData) -> TopTags:
    """Top tags per site of the training examples, by votes known at the last cut."""
    inputs = training.inputs
    ends = F.broadcast(dated_pairs(inputs).groupBy("site").agg(F.max("cut").alias("end")))
    questions = inputs.posts.where(F.col("post_type") == "question").join(ends, on="site")
    known_questions = questions.where(F.col("created_at") <= F.col("end")).select("site", "post_id", "tags")
    up_and_down = inputs.needed("votes").where(F.col("vote_type_id").isin(UP, DOWN))
    known = up_and_down.join(ends, on="site").where(end_of_day("created_at") <= F.col("end"))
    vote = F.when(F.col("vote_type_id") == UP, 1).otherwise(-1)
    balance = known.groupBy("post_id", "site").agg(F.sum(vote).alias("votes"))
    voted = known_questions.join(balance, on=["post_id", "site"], how="left").na.fill(0, ["votes"])
    return _first(voted, inputs.top_tags)


def _first(questions: DataFrame, count: int) -> TopTags:
    tags = questions.select("site", F.explode(F.array_distinct("tags")).alias("name"), "votes")
    totals = tags.groupBy("site", "name").agg(F.sum("votes").alias("votes"))
    by_votes = Window.partitionBy("site").orderBy(F.col("votes").desc(), "name")
    ranked = totals.withColumn("slot", F.row_number().over(by_votes)).where(F.col("slot") <= count)
    by_site: dict[str, list[str]] = {}
    for row in sorted(ranked.select("site", "slot", "name").collect()):
        by_site.setdefault(row["site"], []).append(row["name"])
    return TopTags(by_site=by_site)


class TopTagsGroup(StateGroup[TopTags], NumberedGroup):
    """Base class of groups whose columns are numbered by the sites' top tags.

    Args:
        state: the top tags of each site, in order.
    """

    state_type = TopTags

    @staticmethod
    @abstractmethod
    def learn(training: TrainingData) -> TopTags:
        """Order the tags of the training part."""

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Order the tags."""
        return Fitted(cls(training.derive(cls.learn)))

    def names(self) -> Sequence[str]:
        """The tags of the site; empty with several sites."""
        return [f"the tag {name}" for name in self.state.names()]
