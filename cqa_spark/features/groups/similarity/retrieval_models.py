"""Classical models of question retrieval: BM25, a translation-based language model, and the soft cosine."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from threadpoolctl import threadpool_limits

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.similarity.term_similarity import bm25
from cqa_spark.features.learned_group import CollectionGroup, collection_of
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData, learned_texts
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.text.terms import Collection
from cqa_spark.text.word_vectors import WordVectors, softened

DIMENSIONS = 300
BACKGROUND = 0.9
"""Weight of the collection's language model."""
TRANSLATED = 0.1
"""Weight of words that the candidate has in other words, in the language model of the candidate."""

_SOURCE = "Kunneman et al. 2019, Question similarity in community question answering, and its code (DiscoSumo)"


class Words(NamedTuple):
    """The content words of a text.

    Attributes:
        counts: frequency of each word.
        vectors: one row for each of these words; 0 for a word without a vector.
    """

    counts: Counter[str]
    vectors: Reals


class RetrievalModelsV1(CollectionGroup):
    """BM25, translation-based language model and soft cosine; fitted: frequencies and vectors of content words.

    Args:
        state: the counts of the collection.
        vectors: vectors of its content words.
    """

    name = "retrieval_models_v1"
    family = "similarity"
    about = "scores of the candidate for the query by classical models of question retrieval"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("bm25", "BM25 of the candidate's content words for the query", _SOURCE),
        FeatureColumn(
            "log_likelihood",
            "log probability of the query's content words by the candidate's translation-based language model, nats",
            f"Xue et al. 2008, Retrieval models for question and answer archives; {_SOURCE}",
        ),
        FeatureColumn(
            "soft_cosine",
            "soft cosine of the tf-idf vectors: words with similar vectors count as partly equal",
            f"Charlet and Damnati 2017, SimBow at SemEval-2017 Task 3; {_SOURCE}",
        ),
    )
    terms = "content_words"

    def __init__(self, state: Collection, vectors: WordVectors) -> None:
        super().__init__(state)
        self.vectors = vectors

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count, and learn vectors, from the distinct texts of the training and unannotated documents."""
        vectors = WordVectors.learn(learned_texts(training.inputs), cls.terms, LEARNED_FROM, dimensions=DIMENSIONS)
        return Fitted(cls(training.derive(collection_of, cls.terms), vectors))

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts and the vectors."""
        super().save(folder)
        self.vectors.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the counts and the vectors."""
        return cls(Collection.load(folder), WordVectors.load(folder))

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair; without words in common, or similar ones, 0 and the likelihood by the collection alone."""
        pairs = list(zip(batch.query_text.tolist(), batch.candidate_text.tolist(), strict=True))
        words = [*batch.texts.unit(self.terms), []]  # the last text is the one at ABSENT
        texts = {text for pair in pairs for text in pair}
        bags = {text: self.vectors.vocabulary.bag(words[text]) for text in texts}
        counted = {text: self.counted(words[text]) for text in texts}
        soft = np.zeros(len(pairs))
        likelihoods = np.zeros(len(pairs))
        # The matrices are small, so more BLAS threads would only compete with Spark's other tasks.
        with threadpool_limits(1):
            for number, (query, candidate) in enumerate(pairs):
                likelihoods[number] = self.log_likelihood(counted[query], counted[candidate])
                first, second = bags[query], bags[candidate]
                if first and second and (norms := first.soft_norm * second.soft_norm):  # 0 without any near words
                    similarities = softened(first.vectors @ second.vectors.T)
                    soft[number] = first.weights @ similarities @ second.weights / norms
        return {
            "bm25": bm25(self.weighed(batch), batch.query_text, batch.candidate_text),
            "log_likelihood": likelihoods,
            "soft_cosine": soft,
        }

    def counted(self, words: Sequence[str]) -> Words:
        """Count the words of a text, and look up their vectors."""
        counts, unknown = Counter(words), np.zeros(self.vectors.vocabulary.vectors.shape[-1])
        vectors = np.array([self._vectors.get(word, unknown) for word in counts]).reshape(len(counts), len(unknown))
        return Words(counts, vectors)

    def log_likelihood(self, query: Words, candidate: Words) -> float:
        """The log probability that a candidate generates the words of a query, in nats.

        The probability of a word is a weighted mean of three: its share of the candidate's words; the mean similarity
        of the candidate's words to it, which stands for the probability that they are translated by it; and its share
        of the collection.
        """
        asked, said, length = query.counts, candidate.counts, max(1, candidate.counts.total())
        similarities, frequencies = softened(query.vectors @ candidate.vectors.T), self.state.frequencies
        translated = similarities @ np.array(list(said.values()), dtype=np.float64) / length
        exact = np.array([said[word] for word in asked], dtype=np.float64) / length
        # Each word of the vocabulary, and an unknown one, counts once more, so that no probability is 0.
        in_texts = np.array([1 + frequencies.get(word, 0) for word in asked], dtype=np.float64)
        of_candidate = TRANSLATED * translated + (1 - TRANSLATED) * exact
        probabilities = BACKGROUND * in_texts / self._collection_size + (1 - BACKGROUND) * of_candidate
        return float(np.log(probabilities) @ np.array(list(asked.values()), dtype=np.float64))

    @cached_property
    def _collection_size(self) -> int:
        return sum(self.state.frequencies.values()) + len(self.state.frequencies) + 1

    @cached_property
    def _vectors(self) -> Mapping[str, Reals]:
        vocabulary = self.vectors.vocabulary
        return dict(zip(vocabulary.words, vocabulary.vectors, strict=True))
