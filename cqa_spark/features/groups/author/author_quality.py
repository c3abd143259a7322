"""How often an author's comments were judged relevant."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup
from cqa_spark.features.shared_accounts import person, same_person

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_PRIOR_WEIGHT = 5


def _smoothed(part: str) -> str:
    prior = f"({part}_relevant_of_all / greatest(1, {part}_judged_of_all))"
    return f"({part}_relevant + {_PRIOR_WEIGHT} * {prior}) / ({part}_judged + {_PRIOR_WEIGHT})"


_ABOUT_SMOOTHED = f"share of the author's judged comments that are relevant, smoothed by {_PRIOR_WEIGHT} of the mean"
_FEATURES = {
    FeatureColumn("relevant_share", _ABOUT_SMOOTHED, _SUPER_TEAM, 0.4): _smoothed("all"),
    FeatureColumn(
        "relevant_share_as_helper", f"{_ABOUT_SMOOTHED}; threads of other askers only", "ours", 0.4
    ): _smoothed("helper"),
    FeatureColumn("log_judged", "ln(1 + judged comments of the author)", _NICOSIA): "ln(1 + all_judged)",
    FeatureColumn("log_relevant", "ln(1 + relevant comments of the author)", _NICOSIA): "ln(1 + all_relevant)",
    FeatureColumn(
        "log_irrelevant", "ln(1 + irrelevant comments of the author)", _NICOSIA
    ): "ln(1 + all_judged - all_relevant)",
}
"""Each column with the Spark SQL expression over an author's counts, and everybody's, that computes it."""

_COUNTS = ("all_judged", "all_relevant", "helper_judged", "helper_relevant")


class AuthorQualityV1(LearnedTableGroup):
    """Share and number of an author's relevant comments in the training threads."""

    name: ClassVar[str] = "author_quality_v1"
    family: ClassVar[str] = "author"
    about: ClassVar[str] = "how often the author's comments in other threads were judged relevant"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = True

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the judged and the relevant comments of every author."""
        judged = _with_asker(inputs).where(F.col("relevant").isNotNull() & F.col("author").isNotNull())
        helps = ~same_person("author", "asker")
        return type(self)(
            judged.groupBy("site", F.col("author").alias("author_id")).agg(
                F.count(F.lit(1)).alias("all_judged"),
                F.count_if("relevant").alias("all_relevant"),
                F.count_if(helps).alias("helper_judged"),
                F.count_if(helps & F.col("relevant")).alias("helper_relevant"),
            )
        )

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair whose author is one person; an author never judged has the mean."""
        pairs = inputs.examples.select(*self.entity.key, person("site", "author_id").alias("author_id"))
        everybody = self.learned.groupBy("site").agg(*[F.sum(name).alias(f"{name}_of_all") for name in _COUNTS])
        values = feature_values(_FEATURES)
        return (
            pairs.where(F.col("author_id").isNotNull())
            .join(self.learned, on=["site", "author_id"], how="left")
            .join(F.broadcast(everybody), on="site", how="left")
            .na.fill(0)
            .select(*self.entity.key, *values)
        )


def _with_asker(inputs: FeatureInputs) -> DataFrame:
    askers = inputs.posts.select("site", F.col("post_id").alias("thread_id"), person("site", "user_id").alias("asker"))
    judged = inputs.examples.withColumn("author", person("site", "author_id"))
    return judged.join(askers, on=["site", "thread_id"], how="left")
