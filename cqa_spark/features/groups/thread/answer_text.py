"""Length of the answer, and the words that it shares with the question: what two baselines of Xu et al. order by."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn, Reach
from cqa_spark.features.groups.thread.term_match import TermMatch
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.tasks.post_words import plain_text, post_words
from cqa_spark.text.terms import Collection

_XU = "Xu et al. 2018, section 5, baselines"
_MATCH = TermMatch("match", "query", "candidate", "the question", "the answer")

_FEATURES = {
    FeatureColumn("characters", "characters of the answer without markup", _XU): "characters",
    FeatureColumn("words", "words of the answer", _XU): "said",
    FeatureColumn("cosine", "cosine of the tf-idf vectors of question and answer", _XU): next(
        sql for feature, sql in _MATCH.features().items() if feature.name == "match_cosine"
    ),
}
"""Each column with the Spark SQL expression over the words of a pair that computes it."""


class AnswerTextV1(CollectionGroup):
    """Words come from the bodies by plain expressions, so that a whole dump needs no language pipeline.

    Learns how many questions and answers of the training part hold each word, as the paper's tf-idf does.
    """

    name: ClassVar[str] = "answer_text_v1"
    family: ClassVar[str] = "answer_text"
    about: ClassVar[str] = "length of the answer, and words that question and answer share"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.THREAD
    terms: ClassVar[str] = "words"
    reads_texts: ClassVar[bool] = False

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the words of the training part."""
        return type(self)(Collection.of(_posts(inputs), self.terms))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair; the cosine of a text without words is 0."""
        posts = _posts(inputs)
        weighed = self.collection.weigh(posts, self.terms)
        vectors = weighed.select("text_id", F.struct("terms", "weights", "norm", "idf").alias("vector"))
        pairs = self.entities(inputs.examples)
        for side in ("query", "candidate"):
            of_side = vectors.withColumnsRenamed({"text_id": side + "_text", "vector": side})
            pairs = pairs.withColumn(side + "_text", _key(f"{side}_id")).join(of_side, on=side + "_text", how="left")
        sizes = posts.select(F.col("text_id").alias("candidate_text"), "characters", F.size("words").alias("said"))
        matched = pairs.join(sizes, on="candidate_text").selectExpr("*", _MATCH.shared_weights())
        values = [F.coalesce(F.expr(sql).cast("double"), F.lit(0.0)).alias(c.name) for c, sql in _FEATURES.items()]
        return matched.select(*self.entity.key, *values)


def _posts(inputs: FeatureInputs) -> DataFrame:
    """The posts of the examples, each once: text_id, words, characters."""
    both = F.explode(F.array("query_id", "candidate_id")).alias("post_id")
    wanted = inputs.examples.select("site", both).distinct()
    posts = inputs.posts.join(wanted, on=["site", "post_id"], how="left_semi")
    return posts.select(
        _key("post_id").alias("text_id"), post_words().alias("words"), F.length(plain_text()).alias("characters")
    )


def _key(post: str) -> Column:
    return F.concat_ws("/", "site", post)
