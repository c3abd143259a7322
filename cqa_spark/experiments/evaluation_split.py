"""Evaluation splits of experiments, and the training examples of each."""

from __future__ import annotations

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
    """A choice of examples to measure on."""

    @abstractmethod
    def measured(self, examples: DataFrame) -> DataFrame:
        """The examples that are measured on; ``split`` says how the choice is called."""

    @abstractmethod
    def learned_from(self, examples: DataFrame) -> DataFrame:
        """The examples that a model may learn from that is measured on other sites."""

    @abstractmethod
    def parts(self, frame: DataFrame) -> tuple[Part, ...]:
        """Examples, or examples with features, as the models that are measured on them need them."""


@dataclass(frozen=True)
class HeldOut(EvaluationSplit):
    """What the data set holds out: a model learns from the training part.

    Attributes:
        condition: SQL over ``split``.
    """

    condition: str = OUTSIDE_TRAINING

    def measured(self, examples: DataFrame) -> DataFrame:
        """Those that the condition holds for."""
        return examples.where(self.condition)

    def learned_from(self, examples: DataFrame) -> DataFrame:
        """The training part."""
        return examples.where(IN_TRAINING)

    def parts(self, frame: DataFrame) -> tuple[Part, ...]:
        """One: the training part and what is held out."""
        return (Part(self.learned_from(frame), self.measured(frame)),)


@dataclass(frozen=True)
class EveryFold(EvaluationSplit):
    """Every question, each by a model of the other folds: for data sets whose test part is too small.

    Attributes:
        folds: number of folds, by thread with its repeats.
    """

    folds: int

    def measured(self, examples: DataFrame) -> DataFrame:
        """All of them, as one part."""
        return examples.withColumn("split", F.lit(CROSS_VALIDATED))

    def learned_from(self, examples: DataFrame) -> DataFrame:
        """All of them: the sites that are measured on are others."""
        return self.measured(examples)

    def parts(self, frame: DataFrame) -> tuple[Part, ...]:
        """One for each fold."""
        whole = self.measured(frame)
        held_out = [fold_of(self.folds) == fold for fold in range(self.folds)]
        return tuple(Part(whole.where(~here), whole.where(here)) for here in held_out)
