"""The interface of rankers: estimators with declared parameters, whose fit returns a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame

from cqa_spark.rankers.model import ModelDescription, RankerModel, TrainingCounts


class RankerParameters(BaseModel):
    """Base of a ranker's declared parameters: its fields hold name, type, default and help of each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def needs_features(self) -> tuple[str, ...]:
        """Feature columns that the parameters name themselves."""
        return ()

    def reads_texts(self) -> bool:
        """Whether the ranker learns from words, too: its frames need the columns that ``pair_words`` adds."""
        return False


P = TypeVar("P", bound=RankerParameters)


@dataclass(frozen=True)
class Ranker(ABC, Generic[P]):
    """An estimator; registered by name in ``cqa_spark.rankers.registry``.

    Attributes:
        parameters: of the type ``parameters_type``.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    parameters_type: ClassVar[type[RankerParameters]]
    model_type: ClassVar[type[RankerModel]]

    parameters: P

    @property
    def gives_probabilities(self) -> bool:
        """Whether the scores of its models are probabilities of being relevant."""
        return False

    @property
    def gives_similarities(self) -> bool:
        """Whether the scores of its models are expected similarities, from 0 to 5."""
        return False

    @abstractmethod
    def fit(self, frame: DataFrame) -> RankerModel:
        """Learn from examples of the training part.

        Args:
            frame: columns of the table ``examples`` and features, doubles named ``GROUP__COLUMN``.

        Raises:
            ContractError: a feature is not a number, or one that the parameters name is missing.
            InputError: there is nothing to learn from.
        """

    def fit_scores(self, frame: DataFrame) -> RankerModel:
        """Learn as ``fit`` does, for its scores alone: a threshold that takes models of folds is left open."""
        return self.fit(frame)

    def describe(
        self, features: tuple[str, ...], *, threshold: float | None = None, training: TrainingCounts | None = None
    ) -> ModelDescription:
        """The description of a model that this ranker makes."""
        return ModelDescription(
            ranker=self.name,
            parameters=self.parameters.model_dump(mode="json"),
            features=features,
            threshold=threshold,
            training=training,
        )
