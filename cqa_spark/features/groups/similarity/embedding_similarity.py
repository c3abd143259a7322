"""Similarity of query and candidate by word vectors."""

from abc import abstractmethod
from collections.abc import Iterator
from math import sqrt
from typing import Self

import numpy as np
from pydantic import BaseModel
from threadpoolctl import threadpool_limits

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData, learned_texts
from cqa_spark.features.within_query import above_mean, ranks
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.text.encoders.model import DIGITS, EmbeddingModel
from cqa_spark.text.word_vectors import Bag, WordVectors, compare_meaning

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
            for name, (query, candidate) in sides.items():
                comparable = np.isin(query, list(bags)) & np.isin(candidate, list(bags))
                for pairs in _by_query(batch, comparable):
                    candidates = [bags[text] for text in candidate[pairs].tolist()]
                    compared = compare_meaning(bags[query[pairs[0]]], candidates, self.state.common)
                    for field, similarities in compared.items():
                        values[f"{name}_{field}"][pairs] = similarities
        return values

    def _bags(self, batch: QueryBatch, texts: Indices) -> dict[int, Bag]:
        """The bag of each text that has one."""
        words, vocabulary = batch.texts.unit(_WORDS), self.state.vocabulary
        bags = {text: vocabulary.bag(words[text]) for text in np.unique(texts[texts != ABSENT]).tolist()}
        return {text: bag for text, bag in bags.items() if bag is not None}


def _by_query(batch: QueryBatch, comparable: Mask) -> Iterator[Indices]:
    """The indices of the comparable examples of each query; examples of a query are adjacent."""
    examples = np.flatnonzero(comparable)
    if examples.size:
        yield from np.split(examples, np.flatnonzero(np.diff(batch.query[examples])) + 1)


# Base class of groups that compare texts by embeddings.
#
# Components have four decimal places, so their products and sums are exact when computed as integers. Cosines are
# therefore identical to the last digit on every CPU and in any order of summation.

MODEL = "bge_small_en"

_MODEL_FILE, _WEIGHTS = "embedding_model.json", "weights.npy"
_SCALE = 10.0**DIGITS


class _Version(BaseModel):
    """What ``embedding_model.json`` holds."""

    model: str
    version: str


class EmbeddingGroup(FittedQueryGroup):
    """Base class of groups that use the vectors of one model; stores the model version used in training.

    Args:
        version: version of the embedding model.
    """

    embeddings = (MODEL,)
    learns_from_labels = False

    def __init__(self, version: str) -> None:
        self.version = version

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Record the version of the model."""
        return Fitted(cls(EmbeddingModel.read(cls.embeddings[0]).version))

    def save(self, folder: NewModelFolder) -> None:
        """Write the name and version of the model."""
        write_version(folder, self.embeddings[0], self.version)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the version and compare it with the installed one."""
        return cls(read_version(folder, cls.embeddings[0]))


def write_version(folder: NewModelFolder, model: str, version: str) -> None:
    """Write the name and version of the embedding model that a group was trained with."""
    folder.write_json(_MODEL_FILE, _Version(model=model, version=version))


def read_version(folder: ModelFolder, model: str) -> str:
    """Read the version of the embedding model that a group was trained with.

    Raises:
        ContractError: the installed model has another version, so its vectors differ.
    """
    saved, installed = folder.read_json(_MODEL_FILE, _Version), EmbeddingModel.read(model)
    if (saved.model, saved.version) != (installed.name, installed.version):
        raise ContractError(
            f"the system was trained with version {saved.version} of the embedding model {saved.model}, and "
            f"conf/models/{installed.name}.yaml describes version {installed.version}",
            "restore that file, or train the system again",
        )
    return installed.version


class EmbeddingRegressionGroup(EmbeddingGroup):
    """Base class of groups with regressions on the embeddings of labelled pairs.

    Args:
        version: version of the embedding model.
        weights: the weights of the regression, of any shape.
    """

    learns_from_labels = True

    def __init__(self, version: str, weights: Reals) -> None:
        super().__init__(version)
        self.weights = weights

    @classmethod
    @abstractmethod
    def learn(cls, training: TrainingData) -> Fitted[Reals]:
        """The weights on all training data, and without each fold."""

    @classmethod
    @abstractmethod
    def shape(cls) -> tuple[int | None, ...]:
        """The shape of the weights; None for any size."""

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn the weights, and record the version of the model."""
        version = EmbeddingModel.read(cls.embeddings[0]).version
        return cls.learn(training).map(lambda weights: cls(version, weights))

    def save(self, folder: NewModelFolder) -> None:
        """Write the weights as a NumPy array, and the version of the model."""
        super().save(folder)
        folder.write_array(_WEIGHTS, self.weights)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the weights and compare the version."""
        return cls(read_version(folder, cls.embeddings[0]), folder.read_array(_WEIGHTS, shape=cls.shape()))


def exact_vectors(batch: QueryBatch, model: str = MODEL) -> Reals:
    """The vectors of the batch's texts as integers, in units of the last decimal place.

    Returns:
        Shape (texts + 1, dimension); NaN for texts without a vector, and in the last row, the row at ``ABSENT``.
    """
    return batch.texts.derive(_exact, model)


def _exact(texts: Texts, model: str) -> Reals:
    return np.rint(texts.vectors(model).astype(np.float64) * _SCALE)


def cosines(vectors: Reals, first: Indices, second: Indices) -> Reals:
    """Cosines of pairs of texts.

    Args:
        vectors: as ``exact_vectors`` returns them.
        first: row indices of the first texts.
        second: row indices of the second texts.

    Returns:
        One value per pair; NaN if a text is absent.
    """
    return np.einsum("ij,ij->i", vectors[first], vectors[second]) / _SCALE**2


def length(vectors: Reals) -> Reals:
    """Lengths of vectors, such as sums of ``exact_vectors``, relative to the length of a single vector."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors)) / _SCALE


class GloveSimilarityV1(EmbeddingGroup):
    """The cosine of the mean word vectors of the query and of the candidate."""

    name = "glove_similarity_v1"
    family = "similarity"
    about = "similarity of the query and the candidate by averages of GloVe's word vectors"
    entity = Entity.PAIR
    embeddings = ("glove",)
    extra = "papers"
    columns = (
        FeatureColumn(
            "query_cosine",
            "cosine of the query and the candidate",
            "Cer et al. 2017, SemEval-2017 Task 1, section 8; Pennington et al. 2014, GloVe",
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair; NaN if a text has no vector."""
        return {"query_cosine": cosines(exact_vectors(batch, "glove"), batch.query_text, batch.candidate_text)}


MULTILINGUAL = "use_multilingual"

_SOURCE = "Yang et al. 2020, Multilingual Universal Sentence Encoder for semantic retrieval"


class MultilingualSimilarityV1(EmbeddingGroup):
    """Cosines of the vectors of the query and of the candidate, and of the candidate's subject."""

    name = "multilingual_similarity_v1"
    family = "similarity"
    about = "similarity of the query and the candidate by multilingual sentence embeddings"
    entity = Entity.PAIR
    embeddings = (MULTILINGUAL,)
    columns = (
        FeatureColumn("query_cosine", "cosine of the query and the candidate", _SOURCE),
        FeatureColumn("title_cosine", "cosine of the query and the candidate's subject", _SOURCE),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair; NaN if a text has no vector."""
        vectors = exact_vectors(batch, MULTILINGUAL)
        return {
            "query_cosine": cosines(vectors, batch.query_text, batch.candidate_text),
            "title_cosine": cosines(vectors, batch.query_text, batch.candidate_subject_text),
        }


_MINILM_SOURCE = "Reimers and Gurevych 2019, Sentence-BERT; Xiao et al. 2023, C-Pack (the model)"
_RANK = "rank of the similarity within the thread, as Barrón-Cedeño et al. 2015, Thread-level information for comments"


class SentenceSimilarityV1(EmbeddingGroup):
    """Cosine of the vectors of query and candidate, and of the query's subject and candidate."""

    name = "sentence_similarity_v1"
    family = "similarity"
    about = "similarity of the query and the candidate by sentence embeddings"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("query_cosine", "cosine of the query and the candidate", _MINILM_SOURCE, 0.6),
        FeatureColumn("query_above_mean", "query_cosine minus its mean over the query's candidates", _RANK),
        FeatureColumn("query_place", "rank by query_cosine among the query's candidates, from 1", _RANK, 5.0),
        FeatureColumn("subject_cosine", "cosine of the query's subject and the candidate", _MINILM_SOURCE, 0.6),
        FeatureColumn("subject_above_mean", "subject_cosine minus its mean over the query's candidates", _RANK),
        FeatureColumn("subject_place", "rank by subject_cosine among the query's candidates, from 1", _RANK, 5.0),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair, and each pair with the others of its query."""
        vectors = exact_vectors(batch)
        values = {}
        for name, texts in (("query", batch.query_text), ("subject", batch.subject_text)):
            similarity = cosines(vectors, texts, batch.candidate_text)
            values[f"{name}_cosine"] = similarity
            values[f"{name}_above_mean"] = above_mean(similarity, batch.query)
            values[f"{name}_place"] = ranks(similarity, batch.query)
        return values
