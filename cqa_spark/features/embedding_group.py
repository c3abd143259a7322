"""Base class of groups that compare texts by embeddings.

Components have four decimal places, so their products and sums are exact when computed as integers. Cosines are
therefore identical to the last digit on every CPU and in any order of summation.
"""

from abc import abstractmethod
from typing import Self

import numpy as np
from pydantic import BaseModel

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import Indices, Reals
from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.group import FittedQueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.embedding.model import DIGITS, EmbeddingModel

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


def cosines(vectors: Reals, one: Indices, other: Indices) -> Reals:
    """Cosines of pairs of texts.

    Args:
        vectors: as ``exact_vectors`` returns them.
        one: row indices of the first texts.
        other: row indices of the second texts.

    Returns:
        One value per pair; NaN if a text is absent.
    """
    return np.einsum("ij,ij->i", vectors[one], vectors[other]) / _SCALE**2


def length(vectors: Reals) -> Reals:
    """Lengths of vectors, such as sums of ``exact_vectors``, relative to the length of a single vector."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors)) / _SCALE


def above_mean(values: Reals, query: Indices) -> Reals:
    """Values minus the mean of the known values of the same query."""
    known = ~np.isnan(values)
    sums, numbers = (np.bincount(query, np.where(known, each, 0), query.max(initial=0) + 1) for each in (values, known))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(values - (sums / numbers)[query])


def places(values: Reals, query: Indices) -> Reals:
    """Rank of each value within its query, highest first, from 1; ties share a rank, unknown values are ignored."""
    found = np.full(len(values), np.nan)
    known = np.flatnonzero(~np.isnan(values))
    for number in np.unique(query[known]).tolist():
        own = known[query[known] == number]
        found[own] = 1 + (values[own][None, :] > values[own][:, None]).sum(axis=1)
    return found
