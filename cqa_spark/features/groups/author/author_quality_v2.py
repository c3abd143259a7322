"""How often a comment's author was judged relevant in other threads, known by name where ids differ."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.groups.author.aliases import find_known, with_aliases, with_person
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup
from cqa_spark.features.shared_accounts import person, same_person

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_PRIOR_WEIGHT = 5
_SECTION_PRIOR_WEIGHT = 2
_COUNTS = ("judged", "relevant", "helper_judged", "helper_relevant")


def _smoothed(part: str) -> str:
    prior = f"({part}relevant_of_all / greatest(1, {part}judged_of_all))"
    return f"({part}relevant + {_PRIOR_WEIGHT} * {prior}) / ({part}judged + {_PRIOR_WEIGHT})"


_IN_SECTION = (
    f"(coalesce(sections[section].relevant, 0) + {_SECTION_PRIOR_WEIGHT} * {_smoothed('')})"
    f" / (coalesce(sections[section].judged, 0) + {_SECTION_PRIOR_WEIGHT})"
)
_ABOUT_SMOOTHED = f"share of the author's judged comments that are relevant, smoothed by {_PRIOR_WEIGHT} of the mean"
_FEATURES = {
    FeatureColumn("relevant_share", _ABOUT_SMOOTHED, _SUPER_TEAM, 0.4): _smoothed(""),
    FeatureColumn("relevant_share_as_helper", f"{_ABOUT_SMOOTHED}; threads of other askers only", "ours", 0.4): (
        _smoothed("helper_")
    ),
    FeatureColumn(
        "relevant_share_in_section",
        f"the same in the forum section, smoothed by {_SECTION_PRIOR_WEIGHT} of the share in all sections",
        "ours",
        0.4,
    ): _IN_SECTION,
    FeatureColumn("log_judged", "ln(1 + judged comments of the author)", _NICOSIA): "ln(1 + judged)",
    FeatureColumn("log_odds", "ln((1 + relevant) / (1 + irrelevant)) of the author's judged comments", _NICOSIA): (
        "ln((1 + relevant) / (1 + judged - relevant))"
    ),
}
"""Each column with the Spark SQL expression over an author's counts, and everybody's, that computes it."""


class AuthorQualityV2(LearnedTableGroup):
    """Share and number of an author's relevant comments in the training threads."""

    name: ClassVar[str] = "author_quality_v2"
    family: ClassVar[str] = "author"
    about: ClassVar[str] = "how often the author's comments in other threads were judged relevant, known by name"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = True

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the judged and the relevant comments of every author, in all sections and in each."""
        labels = inputs.examples.where("relevant IS NOT NULL").select(*self.entity.key, "relevant").distinct()
        judged = with_person(_commented(labels, inputs), inputs)
        by_section = judged.groupBy("site", "person", "section").agg(
            F.count(F.lit(1)).alias("judged"),
            F.count_if("relevant").alias("relevant"),
            F.count_if("helps").alias("helper_judged"),
            F.count_if(F.col("helps") & F.col("relevant")).alias("helper_relevant"),
        )
        in_section = F.when(F.col("section").isNotNull(), F.struct("section", F.struct("judged", "relevant")))
        counts = by_section.groupBy("site", "person").agg(
            *[F.sum(name).alias(name) for name in _COUNTS],
            F.map_from_entries(F.sort_array(F.collect_list(in_section))).alias("sections"),
        )
        # Small, and read three times by every fold.
        return type(self)(with_aliases(counts, inputs).persist())

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each comment whose author is one person; an author never judged has the mean."""
        candidates = _commented(self.entities(inputs.examples), inputs)
        one_each = self.learned.where("alias = person")
        everybody = one_each.groupBy("site").agg(*[F.sum(name).alias(f"{name}_of_all") for name in _COUNTS])
        known = {name: F.coalesce(name, F.lit(0)) for name in (*_COUNTS, *[f"{name}_of_all" for name in _COUNTS])}
        values = feature_values(_FEATURES)
        return (
            find_known(candidates, self.learned)
            .join(F.broadcast(everybody), on="site", how="left")
            .withColumns(known)
            .select(*self.entity.key, *values)
        )


def _commented(candidates: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """The candidates that are comments: who wrote them, in which section, and whether for somebody else."""
    comments = inputs.comments.select(
        "site",
        F.col("comment_id").alias("candidate_id"),
        "post_id",
        "user_id",
        "user_name",
        person("site", "user_id", "user_name").alias("author"),
    )
    questions = inputs.posts.select(
        "site", "post_id", F.col("category").alias("section"), person("site", "user_id", "user_name").alias("asker")
    )
    spoken = candidates.join(comments, on=["site", "candidate_id"], how="inner")
    return spoken.join(questions, on=["site", "post_id"], how="left").withColumn(
        "helps", ~same_person("author", "asker")
    )
