"""How similar the comments of a candidate question's thread are to the query."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.groups.thread.term_match import TermMatch
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts

_SOURCE = "Filice et al. 2016, KeLP at SemEval-2016 Task 3, thread-level features for subtask B"

_MATCHES = (
    TermMatch("query", "query", "candidate", "the query", "a comment"),
    TermMatch("subject", "subject", "candidate", "the query's subject", "a comment"),
)
_MEASURES = {feature.name: (feature.about, sql) for match in _MATCHES for feature, sql in match.features().items()}
"""What every comment is compared by: what it means, and its SQL."""

_OVER_THREAD = {
    "max": ("highest over the comments below the candidate", "array_max(comments.{name})"),
    "mean": (
        "mean over the comments below the candidate",
        "aggregate(comments.{name}, 0D, (sum, value) -> sum + value) / size(comments)",
    ),
    "first": ("of the first comment below the candidate", "comments[0].{name}"),
}
"""How the values of a thread's comments become one: what it means, and its SQL over the comments in their order."""

_FEATURES = {
    **{
        FeatureColumn(f"{name}_{how}", f"{about}, {over}", _SOURCE): sql.format(name=name)
        for name, (about, _) in _MEASURES.items()
        for how, (over, sql) in _OVER_THREAD.items()
    },
    FeatureColumn(
        "touched", "share of the comments that have a stem of the query", "ours"
    ): "size(filter(comments, comment -> comment.query_covered > 0)) / size(comments)",
    FeatureColumn("log_comments", "ln(1 + comments below the candidate)", "ours"): "ln(1 + size(comments))",
}


class ThreadSimilarityV1(CollectionGroup):
    """Tf-idf cosine, idf-weighted containment and BM25 of every comment below the candidate, over the thread.

    A candidate without comments of its own, such as a comment, is left out.
    """

    name: ClassVar[str] = "thread_similarity_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "similarity of the query to the comments below the candidate question"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the query with every comment, then look at the comments of a thread together."""
        pairs = _with_comments(self.entities(inputs.examples), inputs.comments)
        compared = pair_texts(pairs, inputs, lambda texts: self.collection.weigh(texts, self.terms))
        matched = compared.selectExpr("*", *[match.shared_weights() for match in _MATCHES])
        measured = [F.expr(f"coalesce({sql}, 0D)").alias(name) for name, (_, sql) in _MEASURES.items()]
        comment = F.struct("position", F.col("candidate_id").alias("comment_id"), *measured)
        threads = matched.groupBy("site", "query_id", "question").agg(
            F.array_sort(F.collect_list(comment)).alias("comments")
        )
        values = feature_values(_FEATURES)
        return threads.select("site", "query_id", F.col("question").alias("candidate_id"), *values)


def _with_comments(pairs: DataFrame, comments: DataFrame) -> DataFrame:
    """A row for every comment below the candidate, which becomes ``question``; the comment is the new candidate."""
    below = comments.select(
        "site",
        F.coalesce("thread_id", "post_id").alias("question"),
        F.col("comment_id").alias("candidate_id"),
        "position",
    )
    return pairs.withColumnRenamed("candidate_id", "question").join(below, on=["site", "question"])
