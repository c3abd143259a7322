"""Fitted rankers: how a model scores, explains itself, and is saved and loaded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import Candidates, require_features
from cqa_spark.rankers.scoring import score_frame

DESCRIPTION = "model.json"
LEARNED, NUMBERS = "learned", "numbers.json"


class TrainingCounts(BaseModel):
    """The size of the training data.

    Attributes:
        queries: number of distinct queries.
        rows: number of labelled examples.
        relevant: number of relevant examples.
        unlabelled: number of examples excluded because they have no label.
        workers: number of Spark tasks that trained together.
    """

    model_config = ConfigDict(frozen=True)

    queries: int
    rows: int
    relevant: int
    unlabelled: int
    workers: int = 1


NO_EXAMPLES = TrainingCounts(queries=0, rows=0, relevant=0, unlabelled=0)


class ModelDescription(BaseModel):
    """A model's description, without the fitted state.

    Attributes:
        ranker: registered name of the ranker.
        parameters: its parameters, by name.
        features: feature columns of the training data, in order.
        threshold: minimum score at which a candidate is predicted relevant; null if every candidate is.
        training: size of the training data; null for rankers without training.
    """

    model_config = ConfigDict(frozen=True)

    ranker: str
    parameters: dict[str, Any]
    features: tuple[str, ...]
    threshold: float | None = None
    training: TrainingCounts | None = None


class FeatureImportance(NamedTuple):
    """The importance of a feature; the table ``feature_importances`` documents the values."""

    feature: str
    importance: float
    direction: int


@dataclass(frozen=True, eq=False)
class RankerModel(ABC):
    """A fitted ranker."""

    description: ModelDescription

    def transform(self, frame: DataFrame) -> DataFrame:
        """Score candidates.

        Args:
            frame: columns of the table ``examples`` and the model's features, doubles named ``GROUP__COLUMN``.

        Returns:
            The columns of ``examples``, ``score`` (double, higher is better) and ``predicted`` (boolean).

        Raises:
            ContractError: the features differ from the features of the training data.
        """
        require_features(dict(frame.dtypes), self.description.features, self.description.ranker)
        return score_frame(frame, self.decide, features=self.description.features, by_query=self.compares_candidates)

    @property
    def training_rows(self) -> int:
        """Number of training examples; 0 without training."""
        return 0 if self.description.training is None else self.description.training.rows

    @property
    def compares_candidates(self) -> bool:
        """Whether a candidate's score depends on the other candidates of its query."""
        return False

    @abstractmethod
    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The score of each candidate; does not depend on other queries in the same call, even in the last digit.

        Args:
            candidates: with the model's features; further features are ignored.
        """

    def decide(self, candidates: Candidates) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The score of each candidate, and whether it is predicted relevant; without a threshold, all are."""
        scores, threshold = self.score(candidates), self.description.threshold
        if threshold is None:
            return scores, np.ones(len(scores), dtype=bool)
        return scores, scores >= threshold

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The share of each feature in the model's decisions; empty for baselines."""
        return ()

    @property
    def explains(self) -> bool:
        """Whether the ranker has additive contributions."""
        return False

    def contributions(self, candidates: Candidates) -> NDArray[np.float64]:
        """The contribution of each feature to the score of each candidate, on the ranker's additive scale.

        Args:
            candidates: with the model's features.

        Returns:
            Shape (candidates, features), in the order of the description; only if the model ``explains``.
        """
        raise NotImplementedError(f"{self.description.ranker} has no additive contributions")

    def save(self, folder: NewModelFolder) -> None:
        """Write the model; load it with ``cqa_spark.rankers.ranker.load_model``."""
        folder.write_json(DESCRIPTION, self.description)
        self.save_learned(folder.within(LEARNED))

    @classmethod
    @abstractmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> RankerModel:
        """Load a model with this description.

        Raises:
            ContractError: the fitted state does not match the description.
        """

    @abstractmethod
    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the fitted state, in formats that contain data only."""


@dataclass(frozen=True, eq=False)
class BaselineModel(RankerModel):
    """A model without a fitted state, fully defined by its description."""

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> BaselineModel:
        """The model of this description."""
        return cls(description)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write nothing."""


class LearnedNumbers(BaseModel):
    """Base class of fitted states with at most a few thousand finite numbers; stored as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @property
    @abstractmethod
    def inputs(self) -> int:
        """Number of features."""


@dataclass(frozen=True, eq=False)
class NumbersModel(RankerModel):
    """A model with numbers, of type ``learned_type``, as its fitted state."""

    learned_type: ClassVar[type[LearnedNumbers]]

    learned: Any

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> NumbersModel:
        """Read the numbers, which must be for as many features as the description names."""
        learned = folder.read_json(NUMBERS, cls.learned_type)
        if learned.inputs != len(description.features):
            raise folder.refusal(NUMBERS, f"it is for {learned.inputs} features, not {len(description.features)}")
        return cls(description, learned)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the numbers."""
        folder.write_json(NUMBERS, self.learned)
