"""Evaluation splits of experiments, and the training examples of each."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.folds import fold_of
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, IN_TRAINING, OUTSIDE_TRAINING


@dataclass(frozen=True)
class Part:
    """Evaluation and training examples of a model; no thread is in both."""

    training: DataFrame
    evaluated: DataFrame


class EvaluationSplit(ABC):
    """A selection of evaluation examples."""

    @abstractmethod
    def measured(self, examples: DataFrame) -> DataFrame:
        """The evaluation examples; ``split`` is the name of the selection."""

    @abstractmethod
    def learned_from(self, examples: DataFrame) -> DataFrame:
        """The training examples of a model that is evaluated on other sites."""

    @abstractmethod
    def parts(self, frame: DataFrame) -> tuple[Part, ...]:
        """Evaluation and training examples, with or without features, of each model."""


@dataclass(frozen=True)
class HeldOut(EvaluationSplit):
    """A held-out split of the data set; a model learns from the training split.

    Attributes:
        condition: SQL over ``split``.
    """

    condition: str = OUTSIDE_TRAINING

    def measured(self, examples: DataFrame) -> DataFrame:
        """The examples that satisfy the condition."""
        return examples.where(self.condition)

    def learned_from(self, examples: DataFrame) -> DataFrame:
        """The training split."""
        return examples.where(IN_TRAINING)

    def parts(self, frame: DataFrame) -> tuple[Part, ...]:
        """One part: the held-out and the training split."""
        return (Part(self.learned_from(frame), self.measured(frame)),)


@dataclass(frozen=True)
class EveryFold(EvaluationSplit):
    """Every question, by cross-validation: for data sets whose test split is too small.

    Attributes:
        folds: number of folds, by thread with its repeats.
    """

    folds: int

    def measured(self, examples: DataFrame) -> DataFrame:
        """All examples."""
        return examples.withColumn("split", F.lit(CROSS_VALIDATED))

    def learned_from(self, examples: DataFrame) -> DataFrame:
        """All examples; the evaluated sites are different ones."""
        return self.measured(examples)

    def parts(self, frame: DataFrame) -> tuple[Part, ...]:
        """One part per fold."""
        whole = self.measured(frame)
        held_out = [fold_of(self.folds) == fold for fold in range(self.folds)]
        return tuple(Part(whole.where(~here), whole.where(here)) for here in held_out)
