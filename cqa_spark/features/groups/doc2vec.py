"""Paragraph vectors of query and candidate, as the input of a neural network."""

from typing import Self

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData, learned_texts
from cqa_spark.text.paragraph_vectors import DIMENSIONS, ParagraphVectors

_UNIT = "words"
_SOURCE = "Xu et al. 2018, section 4.1.2; Bogdanova and Foster 2016, This is how we do it: Answer reranking"


class Doc2VecV1(StateGroup[ParagraphVectors], FittedQueryGroup):
    """The paragraph vectors of both texts; fitted on texts without labels.

    Args:
        state: the fitted model.
    """

    name = "doc2vec_v1"
    family = "doc2vec"
    about = "paragraph vectors of the query and of the candidate"
    entity = Entity.PAIR
    extra = "neural"
    libraries = ("gensim",)
    columns = tuple(
        FeatureColumn(f"{side}_{number}", f"dimension {number} of the paragraph vector of the {side}", _SOURCE)
        for side in ("query", "candidate")
        for number in range(DIMENSIONS)
    )
    learns_from_labels = False
    state_type = ParagraphVectors

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn from the distinct texts of the training and unannotated documents."""
        return Fitted(cls(ParagraphVectors.learn(learned_texts(training.inputs), _UNIT)))

    def compute(self, batch: QueryBatch) -> Values:
        """The vectors of each pair."""
        texts, sides = batch.texts.unit(_UNIT), (batch.query_text, batch.candidate_text)
        needed = np.setdiff1d(np.concatenate(sides), [ABSENT])
        vectors = np.full((len(texts) + 1, DIMENSIONS), np.nan)  # the last row is the one at ABSENT
        vectors[needed] = self.state.infer([texts[index] for index in needed.tolist()])
        both = np.hstack([vectors[side] for side in sides])
        return self.by_column(both.T)
