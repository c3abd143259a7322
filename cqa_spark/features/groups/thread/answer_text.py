"""Length of the answer, and the words that it shares with the question: what two baselines of Xu et al. order by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.batches import Values, compute_in_batches
from cqa_spark.features.group import Entity, FeatureColumn, FittedTableGroup, Reach
from cqa_spark.features.groups.thread.term_match import tf_idf_cosine
from cqa_spark.features.history.dump_state import DumpState
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.tasks.post_words import plain_text, post_words
from cqa_spark.text.terms import Collection

_XU = "Xu et al. 2018, section 5, baselines"


class AnswerTextV1(FittedTableGroup):
    """Words come from the bodies by plain expressions, so that a whole dump needs no language pipeline.

    Learns how many questions and answers of the training part hold each word, as the paper's tf-idf does.

    Args:
        collection: the counts; None before the group is fitted.
    """

    name: ClassVar[str] = "answer_text_v1"
    family: ClassVar[str] = "answer_text"
    about: ClassVar[str] = "length of the answer, and words that question and answer share"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn("characters", "characters of the answer without markup", _XU),
        FeatureColumn("words", "words of the answer", _XU),
        FeatureColumn("cosine", "cosine of the tf-idf vectors of question and answer", _XU),
    )
    learns_from_labels: ClassVar[bool] = False
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True
    as_of_dump: ClassVar[frozenset[DumpState]] = frozenset({DumpState.EDITS})

    def __init__(self, collection: Collection | None = None) -> None:
        self._collection = collection

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the words of the training part."""
        return type(self)(Collection.of(_posts(inputs), "words"))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair; the cosine of a text without words is 0."""
        posts = _posts(inputs)
        questions = posts.select(F.col("text_id").alias("question"), F.col("words").alias("asked"))
        answers = posts.select(F.col("text_id").alias("answer"), F.col("words").alias("said"), "characters")
        pairs = self.entities(inputs.examples).withColumns(
            {"question": _key("query_id"), "answer": _key("candidate_id")}
        )
        compared = pairs.join(questions, on="question", how="left").join(answers, on="answer")
        collection = self.require_fitted(self._collection)
        known = compared.sparkSession.sparkContext.broadcast(collection)

        def compare(batch: pa.RecordBatch) -> Iterator[Values]:
            return _compare(batch, known.value)

        return compute_in_batches(compared, self.entity.key, [column.name for column in self.columns], compare)

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts."""
        self.require_fitted(self._collection).save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the counts."""
        return cls(Collection.load(folder))


def _compare(pairs: pa.RecordBatch, collection: Collection) -> Iterator[Values]:
    asked = [words or [] for words in pairs.column("asked").to_pylist()]
    said = pairs.column("said").to_pylist()
    weighed = collection.weigh([*asked, *said])
    cosines = tf_idf_cosine(weighed, np.arange(len(asked)), np.arange(len(said)) + len(asked))
    characters = pairs.column("characters").to_pylist()
    return zip(map(float, characters), map(float, map(len, said)), cosines.tolist(), strict=True)


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
