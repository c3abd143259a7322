"""A fitted ranker: gives every candidate a score, can be saved and loaded, says which features count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import require_features
from cqa_spark.rankers.scoring import score_frame

DESCRIPTION = "model.json"
LEARNED, NUMBERS = "learned", "numbers.json"


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
    """All of a model but the numbers that it learned.

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
            The columns of ``examples``, ``score`` (double, higher is better) and ``predicted`` (boolean).

        Raises:
            ContractError: the frame's features are not those that the model was trained on.
        """
        require_features(frame, self.description.features, self.description.ranker)
        return score_frame(self, frame)

    @property
    def training_rows(self) -> int:
        """How many examples it learned from; 0 if it does not learn."""
        return 0 if self.description.training is None else self.description.training.rows

    @property
    def compares_candidates(self) -> bool:
        """Whether a candidate's score depends on the other candidates of its query."""
        return False

    @abstractmethod
    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The score of each candidate, the same to the last digit whatever other queries are scored with it.

        Args:
            candidates: with the model's features, or more.
        """

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

    def save(self, folder: NewModelFolder) -> None:
        """Write the model; ``cqa_spark.rankers.saved_model.load_model`` reads it."""
        folder.write_json(DESCRIPTION, self.description)
        self.save_learned(folder.within(LEARNED))

    @classmethod
    @abstractmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> RankerModel:
        """The model of this description, with what ``save_learned`` wrote.

        Raises:
            ContractError: what was learned does not fit the description.
        """

    @abstractmethod
    def save_learned(self, folder: NewModelFolder) -> None:
        """Write what is not in the description, in formats that hold data only."""


@dataclass(frozen=True, eq=False)
class BaselineModel(RankerModel):
    """A model that has learned nothing: its description is all there is of it."""

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> BaselineModel:
        """The model of this description."""
        return cls(description)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write nothing."""


class LearnedNumbers(BaseModel):
    """Base of what a ranker learned, where that is a few thousand finite numbers at most; stored as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @property
    @abstractmethod
    def inputs(self) -> int:
        """How many features the numbers are for."""


@dataclass(frozen=True, eq=False)
class NumbersModel(RankerModel):
    """A model whose ranker learned numbers.

    Attributes:
        learned: of the type ``learned_type``.
    """

    learned_type: ClassVar[type[LearnedNumbers]]

    learned: Any

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> NumbersModel:
        """Read the numbers."""
        learned = folder.read_json(NUMBERS, cls.learned_type)
        if learned.inputs != len(description.features):
            raise folder.refusal(NUMBERS, f"it is for {learned.inputs} features, not {len(description.features)}")
        return cls(description, learned)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the numbers."""
        folder.write_json(NUMBERS, self.learned)
