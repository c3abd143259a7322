"""Comments: who commented on the question and on the answer, and how."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, Reach, feature_values
from cqa_spark.features.groups.thread.comment_events import EVENT_VALUES, EVERYBODY, comment_events
from cqa_spark.features.groups.thread.comment_tone import SCALE
from cqa_spark.features.history.pairs import dated_pairs, known_pairs
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.history.totals import totals_at
from cqa_spark.features.inputs import FeatureInputs

_XU = "Xu et al. 2018, Table 2, Comments"
_QUESTION, _ANSWERER, _ANSWER = "question", "answerer", "answer"
_THE_END = "timestamp '9999-12-31 00:00:00'"
_THE_BEGINNING = "timestamp '0001-01-01 00:00:00'"


def _mean(total: str, number: str) -> str:
    return f"if({number} > 0, {total} / ({SCALE} * {number}), 0)"


_FEATURES = {
    FeatureColumn("on_question", "comments on the question", _XU): "question.comments",
    FeatureColumn("on_answer", "comments on the answer", _XU): "answer.comments",
    FeatureColumn("asker_on_question", "1 where the asker did", _XU): "int(question.by_asker > 0)",
    FeatureColumn("asker_on_answer", "1 where the asker did", _XU): "int(answer.by_asker > 0)",
    FeatureColumn("answerer_on_question", "1 where the answerer did", _XU): "int(answerer.by_answerer > 0)",
    FeatureColumn("answerer_on_answer", "1 where the answerer did", _XU): "int(answer.by_answerer > 0)",
    FeatureColumn(
        "sequential", "comments on either of asker or answerer that directly follow one of the other", _XU
    ): "answer.sequential + answerer.sequential",
    FeatureColumn("sentiment", "mean sentiment of the sentences of comments on the answer, -1 to 1; 0 for none", _XU): (
        _mean("answer.sentiment", "answer.sentences")
    ),
    FeatureColumn("toned_sentiment", "the same over sentences that are not neutral; 0 for none", _XU): (
        _mean("answer.toned_sentiment", "answer.toned_sentences")
    ),
    FeatureColumn("any_on_answer", "1 where there is a comment on the answer", _XU): "int(answer.comments > 0)",
}
"""Each column with the Spark SQL expression over the totals of the question's comments (``question``), of those that
concern the answerer (``answerer``) and of the answer's (``answer``) that computes it."""


class CommentsSnapshotV1(FeatureGroup):
    """All comments that the dump has; the asker's thanks below the accepted answer among them."""

    name: ClassVar[str] = "comments_snapshot_v1"
    family: ClassVar[str] = "comments"
    about: ClassVar[str] = "comments on question and answer, at the time of the dump"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair."""
        pairs = known_pairs(inputs).withColumn("cut", F.expr(_THE_END))
        events = comment_events(inputs, pairs)
        return _values(pairs, events.withColumn("known_at", F.coalesce("known_at", F.expr(_THE_BEGINNING))))


class CommentsAsOfV1(FeatureGroup):
    """Comments made before the cut."""

    name: ClassVar[str] = "comments_asof_v1"
    family: ClassVar[str] = "comments"
    about: ClassVar[str] = "comments on question and answer that were there at the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair."""
        pairs = dated_pairs(inputs)
        return _values(pairs, comment_events(inputs, pairs))


def _values(pairs: DataFrame, events: DataFrame) -> DataFrame:
    """Ask three times per pair: of the question, of the answerer below the question, and of the answer."""
    everybody = F.lit(EVERYBODY)
    # A deleted answerer is asked for as nobody's id, which no comment has.
    asked = {
        _QUESTION: ("query_id", everybody),
        _ANSWERER: ("query_id", F.coalesce("author_id", F.lit("deleted"))),
        _ANSWER: ("candidate_id", everybody),
    }
    sides = [
        F.struct(F.lit(side).alias("side"), F.col(post).alias("post_id"), user.alias("user_id"))
        for side, (post, user) in asked.items()
    ]
    moments = pairs.select(
        "site", "query_id", "candidate_id", F.col("cut").alias("known_at"), F.inline(F.array(*sides))
    )
    totals = totals_at(
        moments, events, key=("post_id", "user_id", "site"), values={name: name for name in EVENT_VALUES}
    )
    of_side = [F.max(F.when(F.col("side") == side, F.struct(*EVENT_VALUES))).alias(side) for side in asked]
    together = totals.groupBy("site", "query_id", "candidate_id").agg(*of_side)
    values = feature_values(_FEATURES)
    return together.select("site", "query_id", "candidate_id", *values)
