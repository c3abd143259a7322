"""Similarity of query and candidate by word vectors."""

from collections.abc import Iterator
from math import sqrt
from typing import Self

import numpy as np
from threadpoolctl import threadpool_limits

from cqa_spark.features.arrays import ABSENT, Indices, Mask
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.state_group import StateGroup
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData, learned_texts
from cqa_spark.text.comparison.meaning import Bag, compare_meaning
from cqa_spark.text.word_vectors import WordVectors

_WORDS = "content_words"

_COMPARED = {
    "query": "the query and the candidate",
    "subject": "the query's subject and the candidate",
    "titles": "the query's subject and the candidate's",
}
"""The compared texts, by name of the comparison."""

_MEANS = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, word vectors"
_ALIGNMENT = "Mihalcea et al. 2006, Corpus-based and knowledge-based measures of text semantic similarity"

_ABOUT = {
    "plain_cosine": ("cosine of the means of their words' vectors", _MEANS, 0.0),
    "idf_cosine": ("cosine of the means of their words' vectors, weighted by idf", _MEANS, 0.0),
    "smooth_cosine": (
        "cosine of the means by smooth inverse frequency, the common component removed",
        "Arora et al. 2017, A simple but tough-to-beat baseline for sentence embeddings",
        0.0,
    ),
    "answered": ("mean cosine of the former's words to the latter's most similar ones, by idf", _ALIGNMENT, 0.0),
    "repeated": ("mean cosine of the latter's words to the former's most similar ones, by idf", _ALIGNMENT, 0.0),
    "movers_distance": (
        "relaxed Word Mover's distance; the square root of 2 for unrelated words",
        "Kusner et al. 2015, From word embeddings to document distances, section 4",
        sqrt(2),
    ),
    "soft_cosine": (
        "soft cosine of the tf-idf vectors: similar words count as partly equal",
        "Charlet and Damnati 2017, SimBow at SemEval-2017 Task 3",
        0.0,
    ),
}
"""Each similarity of ``compare_meaning``: meaning, source, and the value if a text has no word with a vector."""


class EmbeddingSimilarityV1(StateGroup[WordVectors], FittedQueryGroup):
    """Cosines of means, alignment, relaxed Word Mover's distance and soft cosine; fitted: vectors of content words.

    Args:
        state: the word vectors, with a description of their training texts.
    """

    name = "embedding_similarity_v1"
    family = "similarity"
    about = "similarity of the candidate and the query by the vectors of their words"
    entity = Entity.PAIR
    columns = tuple(
        FeatureColumn(f"{name}_{field}", f"{which}: {about}", source, missing)
        for name, which in _COMPARED.items()
        for field, (about, source, missing) in _ABOUT.items()
    )
    learns_from_labels = False
    state_type = WordVectors

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn vectors from the distinct texts of the training and unannotated documents."""
        return Fitted(cls(WordVectors.learn(learned_texts(training.inputs), _WORDS, LEARNED_FROM)))

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if either text has no word with a vector."""
        sides = {
            "query": (batch.query_text, batch.candidate_text),
            "subject": (batch.subject_text, batch.candidate_text),
            "titles": (batch.subject_text, batch.candidate_subject_text),
        }
        bags = self._bags(batch, np.concatenate([text for both in sides.values() for text in both]))
        values = {column.name: np.full(len(batch), np.nan) for column in self.columns}
        # The matrices are small, so more BLAS threads would only compete with Spark's other tasks.
        with threadpool_limits(1):
            for name, (asked, said) in sides.items():
                comparable = np.array([one in bags and other in bags for one, other in zip(asked, said, strict=True)])
                for pairs in _by_query(batch, comparable):
                    others = [bags[text] for text in said[pairs].tolist()]
                    compared = compare_meaning(bags[asked[pairs[0]]], others, self.state.common)
                    for field, similarities in compared.items():
                        values[f"{name}_{field}"][pairs] = similarities
        return values

    def _bags(self, batch: QueryBatch, texts: Indices) -> dict[int, Bag]:
        """The bag of each text that has one."""
        words, vocabulary = batch.texts.unit(_WORDS), self.state.vocabulary
        bags = {text: vocabulary.bag(words[text]) for text in np.unique(texts[texts != ABSENT]).tolist()}
        return {text: bag for text, bag in bags.items() if bag is not None}


def _by_query(batch: QueryBatch, chosen: Mask) -> Iterator[Indices]:
    """The chosen examples of each query; examples of a query are adjacent."""
    places = np.flatnonzero(chosen)
    if places.size:
        yield from np.split(places, np.flatnonzero(np.diff(batch.query[places])) + 1)
