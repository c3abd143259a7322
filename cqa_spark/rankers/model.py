"""A fitted ranker: gives every candidate a score, can be saved and loaded, says which features count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.feature_contract import guarded, require_features
from cqa_spark.rankers.text_files import write_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DESCRIPTION = "model.json"
LEARNED = "learned"


class TrainingCounts(BaseModel):
    """What a model was trained on, in rows.

    Attributes:
        queries: distinct queries.
        rows: examples that were learned from.
        relevant: how many of them are relevant.
        unlabelled: examples that were left out because their label is not known.
    """

    model_config = ConfigDict(frozen=True)

    queries: int
    rows: int
    relevant: int
    unlabelled: int


class ModelDescription(BaseModel):
    """All of a model but what Spark ML stores.

    Attributes:
        ranker: registered name of the ranker that made the model.
        parameters: its parameters, by name.
        features: feature columns that the model was trained on, in order.
        threshold: score from which on a candidate is predicted relevant; null where every candidate is.
        training: what it was trained on; null for a ranker that does not learn.
    """

    model_config = ConfigDict(frozen=True)

    ranker: str
    parameters: dict[str, Any]
    features: tuple[str, ...]
    threshold: float | None = None
    training: TrainingCounts | None = None


class FeatureImportance(NamedTuple):
    """How much one feature counts; the columns of the table ``feature_importances`` say what the values mean."""

    feature: str
    importance: float
    direction: int


@dataclass(frozen=True, eq=False)
class RankerModel(ABC):
    """A ranker that has been fitted."""

    description: ModelDescription

    def transform(self, frame: DataFrame) -> DataFrame:
        """Score candidates.

        Args:
            frame: columns of the table ``examples`` and the model's features, doubles named ``GROUP__COLUMN``.

        Returns:
            The frame with ``score`` (double, higher is better) and ``predicted`` (boolean).

        Raises:
            ContractError: the frame's features are not those that the model was trained on.
        """
        require_features(frame, self.description.features, self.description.ranker)
        threshold = self.description.threshold
        predicted = F.lit(True) if threshold is None else F.col("score") >= threshold
        scored = self._score(guarded(frame, self.description.features))
        return scored.select(*frame.columns, "score", predicted.alias("predicted"))

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The share of each feature in the model's decisions; empty where nothing was learned."""
        return ()

    def contributions(self, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """How far each feature moves the score of each candidate, on the scale that the ranker adds up on.

        Args:
            values: a row per candidate, a column per feature, in the order of the description.

        Returns:
            The same shape, or None where the ranker does not say.
        """
        return None

    def save(self, path: str) -> None:
        """Write the model to a folder; ``cqa_spark.systems.saved_system.load_model`` reads it.

        Args:
            path: local, or on any storage that Spark writes to.
        """
        self._save_learned(f"{path}/{LEARNED}")
        write_text(f"{path}/{DESCRIPTION}", self.description.model_dump_json(indent=2))

    @classmethod
    @abstractmethod
    def load_learned(cls, description: ModelDescription, path: str) -> RankerModel:
        """The model of this description, with what ``save`` wrote to the folder ``LEARNED``."""

    @abstractmethod
    def _save_learned(self, path: str) -> None:
        """Write what is not in the description."""

    @abstractmethod
    def _score(self, frame: DataFrame) -> DataFrame:
        """The frame with a column ``score``, and whatever else was computed on the way."""


@dataclass(frozen=True, eq=False)
class BaselineModel(RankerModel):
    """A model that has learned nothing: its description is all there is of it."""

    @classmethod
    def load_learned(cls, description: ModelDescription, path: str) -> BaselineModel:
        """The model of this description."""
        return cls(description)

    def _save_learned(self, path: str) -> None:
        """Write nothing."""


@dataclass(frozen=True, eq=False)
class LearnedModel(RankerModel):
    """A model around one of Spark ML's.

    Attributes:
        learned: a Spark ML model that takes the features.
    """

    learned: Any

    def _save_learned(self, path: str) -> None:
        self.learned.write().overwrite().save(path)
