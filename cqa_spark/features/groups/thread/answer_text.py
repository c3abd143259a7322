"""Length of the answer, and its cosine with the question: the sort keys of two baselines of Xu et al."""

from typing import Self

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import values_at
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.groups.thread.term_match import tf_idf_cosine
from cqa_spark.features.history.dump_state import DumpState
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.state_group import StateGroup
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.lake.schemas.examples import QUERY_POST
from cqa_spark.text.post_words import plain_text_of, post_words, words_of
from cqa_spark.text.terms import Collection

_XU = "Xu et al. 2018, section 5, baselines"


class AnswerTextV1(StateGroup[Collection], FittedQueryGroup):
    """Regular expressions extract the words from the bodies, so that a whole dump needs no text analysis.

    Fitting counts the questions and answers of the training part that contain each word, as for the paper's tf-idf.

    Args:
        state: the counts.
    """

    name = "answer_text_v1"
    family = "answer_text"
    about = "length of the answer, and words that question and answer share"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("characters", "characters of the answer without markup", _XU),
        FeatureColumn("words", "words of the answer", _XU),
        FeatureColumn("cosine", "cosine of the tf-idf vectors of question and answer", _XU),
    )
    learns_from_labels = False
    state_type = Collection
    reads_texts = False
    reads_comments = False
    post_columns = ("subject", "body")
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS})

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the words of the training part."""
        return Fitted(cls(Collection.of(_posts(training.inputs).select(post_words().alias("words")), "words")))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair whose answer is a post; the cosine of a text without words is 0."""
        texts = list(map(plain_text_of, *(batch.posts[name].to_pylist() for name in ("subject", "body"))))
        words = [words_of(text) for text in texts]
        cosines = tf_idf_cosine(self.state.weigh(words), batch.query_post, batch.candidate_post)
        is_post = batch.candidate_post >= 0
        return {
            "characters": values_at(batch.candidate_post, [len(text) for text in texts]),
            "words": values_at(batch.candidate_post, [len(each) for each in words]),
            "cosine": np.where(is_post, cosines, np.nan),
        }


def _posts(inputs: FeatureInputs) -> DataFrame:
    """The posts of the examples, each once."""
    both = F.explode(F.array(F.expr(QUERY_POST), "candidate_id")).alias("post_id")
    wanted = inputs.examples.select("site", both).distinct()
    return inputs.posts.join(wanted, on=["site", "post_id"], how="left_semi")
