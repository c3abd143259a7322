"""The mean word vectors of query and candidate, as inputs of a linear ranker."""

from typing import Self

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData, learned_texts
from cqa_spark.text.word_vectors import WordVectors

DIMENSIONS = 200
"""As in the best systems of the source."""

_UNIT = "words"
_SOURCE = "Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3, sections 3.1 and 4"


class WordCentroidsV1(StateGroup[WordVectors], FittedQueryGroup):
    """Both means, and their cosine; fitted: vectors of all words, learned from texts without labels.

    A linear ranker on the means learns which words are those of good comments; the cosine tells whether both texts are
    about the same.

    Args:
        state: the word vectors, with a description of their training texts.
    """

    name = "word_centroids_v1"
    family = "similarity"
    about = "mean word vectors of the query and of the candidate, and their cosine"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("cosine", "cosine of the mean word vectors of the query and the candidate", _SOURCE),
        *(
            FeatureColumn(f"{side}_{number}", f"dimension {number} of the mean word vector of the {side}", _SOURCE)
            for side in ("query", "candidate")
            for number in range(DIMENSIONS)
        ),
    )
    learns_from_labels = False
    state_type = WordVectors

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn vectors from the distinct texts of the training and unannotated documents."""
        texts = learned_texts(training.inputs)
        return Fitted(cls(WordVectors.learn(texts, _UNIT, LEARNED_FROM, dimensions=DIMENSIONS)))

    def compute(self, batch: QueryBatch) -> Values:
        """The means of each pair; 0 for a text without any word that has a vector, and the cosine with it."""
        words, vocabulary = batch.texts.unit(_UNIT), self.state.vocabulary
        sides = (batch.query_text, batch.candidate_text)
        means = np.zeros((len(words) + 1, DIMENSIONS))  # of each text; the last row is the one at ABSENT
        for text in np.setdiff1d(np.concatenate(sides), [ABSENT]).tolist():
            if bag := vocabulary.bag(words[text]):
                mean = bag.means[0] / bag.times.sum()
                means[text, : len(mean)] = mean  # of fewer dimensions if there are fewer words
        query, candidate = (means[side] for side in sides)
        lengths = np.linalg.norm(query, axis=1) * np.linalg.norm(candidate, axis=1)
        products = (query * candidate).sum(axis=1)
        cosine = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        return self.by_column(np.vstack([cosine, query.T, candidate.T]))
