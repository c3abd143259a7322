"""Goodness polarity: how strongly the comment's words go with the label in the training threads."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup

_BALCHEV = "Balchev et al. 2016, PMI-cool at SemEval-2016 Task 3"
_RAREST = 3
_SMOOTHING = 1.0

_FEATURES = {
    FeatureColumn(
        "mean", "mean polarity of the words that have one", _BALCHEV
    ): "aggregate(polarities, 0D, (sum, p) -> sum + p) / greatest(1, size(polarities))",
    FeatureColumn("max", "highest polarity of a word", _BALCHEV): "coalesce(array_max(polarities), 0)",
    FeatureColumn("min", "lowest polarity of a word", _BALCHEV): "coalesce(array_min(polarities), 0)",
    FeatureColumn("sum", "sum of the polarities", _BALCHEV): "aggregate(polarities, 0D, (sum, p) -> sum + p)",
    FeatureColumn(
        "good_share", "share of the words that go with relevant", _BALCHEV
    ): "size(filter(polarities, p -> p > 0)) / greatest(1, size(polarities))",
}
"""Each column with the Spark SQL expression over the sorted polarities of a comment's words that computes it."""


class GoodnessPmiV1(LearnedTableGroup):
    """Polarity of a word: PMI(word, relevant) - PMI(word, irrelevant), of comments that hold the word."""

    name: ClassVar[str] = "goodness_pmi_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "how strongly the comment's words go with relevant comments of other threads"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = True

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the relevant and the irrelevant comments that hold each word."""
        judged = inputs.keep_examples(F.col("relevant").isNotNull()).examples
        labels = judged.select(*self.entity.key, "relevant").distinct()
        texts = inputs.with_text(labels, "candidate_id")
        words = texts.select("relevant", F.explode(F.array_distinct("tokens")).alias("word"))
        counts = words.groupBy("word").agg(
            F.count_if("relevant").alias("relevant"), F.count_if(~F.col("relevant")).alias("irrelevant")
        )
        totals = labels.agg(
            F.count_if("relevant").alias("all_relevant"), F.count_if(~F.col("relevant")).alias("all_irrelevant")
        )
        odds = (F.col("relevant") + _SMOOTHING) / (F.col("irrelevant") + _SMOOTHING)
        prior = (F.col("all_relevant") + _SMOOTHING) / (F.col("all_irrelevant") + _SMOOTHING)
        frequent = counts.where(F.col("relevant") + F.col("irrelevant") >= _RAREST)
        return type(self)(
            frequent.crossJoin(F.broadcast(totals)).select("word", (F.ln(odds) - F.ln(prior)).alias("polarity"))
        )

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Statistics of the polarities of each candidate's distinct words."""
        candidates = inputs.with_text(self.entities(inputs.examples), "candidate_id")
        words = candidates.select(*self.entity.key, F.explode_outer(F.array_distinct("tokens")).alias("word"))
        found = words.join(self.learned, on="word", how="left").groupBy(*self.entity.key)
        sorted_polarities = found.agg(F.sort_array(F.collect_list("polarity")).alias("polarities"))
        values = feature_values(_FEATURES)
        return sorted_polarities.select(*self.entity.key, *values)
