"""What the words of the comments around a comment say of them, and how it compares."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FittedFeatureGroup, feature_values
from cqa_spark.features.groups.text.lexicon import LexiconV1
from cqa_spark.features.groups.thread.thread_comments import thread_comments
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.shared_accounts import same_person
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_JOTY = "Joty et al. 2015, Global thread-level inference for comment classification in cQA"
_THREAD = ("site", "post_id")

_FEATURES = {
    FeatureColumn("previous", "log-odds of the comment before; 0 where none", _BARRON): (
        "coalesce(get(thread, place - 1).log_odds, 0)"
    ),
    FeatureColumn("next", "log-odds of the next comment; 0 where none", _BARRON): (
        "coalesce(get(thread, place + 1).log_odds, 0)"
    ),
    FeatureColumn("others_mean", "mean log-odds of the thread's other comments; 0 where none", _JOTY): (
        "(total - log_odds) / greatest(1, size(thread) - 1)"
    ),
    FeatureColumn("helpers_mean", "mean log-odds of the thread's comments that the asker did not write", _JOTY): (
        "aggregate(helpers, 0D, (sum, one) -> sum + one.log_odds) / greatest(1, size(helpers))"
    ),
    FeatureColumn("gap_to_best", "log-odds less the highest of the thread's other comments; 0 where none", _JOTY): (
        "log_odds - coalesce(array_max(transform(others, one -> one.log_odds)), log_odds)"
    ),
    FeatureColumn("z_score", "deviations of the log-odds from the thread's mean; 0 where all are equal", "ours"): (
        "coalesce((log_odds - mean) / nullif(deviation, 0D), 0)"
    ),
    FeatureColumn("rank", "place by log-odds, highest first, over comments", "ours", 1.0): (
        "(1 + size(filter(thread, one -> one.log_odds > log_odds))) / size(thread)"
    ),
    FeatureColumn("rank_among_helpers", "the same among comments that the asker did not write", "ours", 1.0): (
        "(1 + size(filter(helpers, one -> one.log_odds > log_odds))) / (1 + size(helpers))"
    ),
}
"""Each column with the Spark SQL expression over a row of ``_around`` that computes it."""


class ThreadLexiconV1(FittedFeatureGroup):
    """The lexicon's log-odds of being relevant, of the whole thread; thread and comment are always in one fold."""

    name: ClassVar[str] = "thread_lexicon_v1"
    family: ClassVar[str] = "dialogue"
    about: ClassVar[str] = "what the lexicon says of the comments around the comment, and how it compares"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = True

    def __init__(self, lexicon: LexiconV1 | None = None) -> None:
        self._lexicon = lexicon or LexiconV1()

    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn the lexicon from the examples with a known label."""
        return type(self)(LexiconV1().fit(inputs))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each candidate that is a comment."""
        comments = thread_comments(inputs)
        scored = self._lexicon.compute(replace(inputs, examples=comments)).select("site", "candidate_id", "log_odds")
        values = feature_values(_FEATURES)
        around = _around(comments.join(scored, on=list(self.entity.key), how="inner")).select(
            "site", "candidate_id", *values
        )
        return self.entities(inputs.examples).join(around, on=list(self.entity.key), how="inner")

    def save(self, folder: NewModelFolder) -> None:
        """Write the lexicon."""
        self._lexicon.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the lexicon."""
        return cls(LexiconV1.load(folder))


def _around(scored: DataFrame) -> DataFrame:
    """Each comment with all of its thread in order; sums run over that order."""
    one = F.struct("position", "candidate_id", same_person("author", "asker").alias("by_asker"), "log_odds")
    threads = scored.groupBy(*_THREAD).agg(F.array_sort(F.collect_list(one)).alias("thread"))
    summed = threads.selectExpr(
        "*",
        "aggregate(thread, 0D, (sum, one) -> sum + one.log_odds) AS total",
        "filter(thread, one -> not one.by_asker) AS helpers",
    ).selectExpr("*", "total / size(thread) AS mean")
    spread = summed.selectExpr(
        "*",
        "sqrt(aggregate(thread, 0D, (sum, one) -> sum + (one.log_odds - mean) * (one.log_odds - mean)) / size(thread))"
        " AS deviation",
        "posexplode(thread) AS (place, comment)",
    )
    return spread.selectExpr(
        "*",
        "comment.candidate_id AS candidate_id",
        "comment.log_odds AS log_odds",
        "filter(thread, one -> one.candidate_id <> comment.candidate_id) AS others",
    )
