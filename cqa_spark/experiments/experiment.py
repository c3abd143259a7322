"""The base class of experiments: steps that train systems in other ways, and write what each way is worth."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.summary import summarise, with_test
from cqa_spark.features.training_data import fold_of
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.rankers.candidates import feature_columns
from cqa_spark.rankers.rankings import rank_scored
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import EvaluationSettings, FeatureSettings
from cqa_spark.spark.frames import persist, persisted, run_concurrently
from cqa_spark.steps.feature_inputs import IF_PRESENT, task_examples
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.score import read_to_rank
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.recipes import groups_of, task_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact


@dataclass(frozen=True)
class Experiment(Step):
    """Trains systems in other ways, and evaluates them on the same queries.

    Attributes:
        table: the table that it writes.
        systems: recipes that the run has trained.
        settings: measure (the first one) and resampling.
    """

    table: ClassVar[JournalTable]

    systems: Sequence[System]
    settings: EvaluationSettings

    def reads(self) -> tuple[Product, ...]:
        """Examples, features, models."""
        models = [Artifact(model_artifact(system.name)) for system in self.systems]
        return EXAMPLES, *frame_tables(self.systems), *models

    def writes(self) -> tuple[Product, ...]:
        """The table."""
        return (self.table,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute and write the entries."""
        systems = trained_recipes(run, self.systems)
        counts.rows_in = len(systems)
        counts.rows_out = run.write_entries(self.table, self.entries(run, systems))

    def entries(self, run: Run, systems: Sequence[System]) -> list[Entry]:
        """The entries of the table, of one system after the other, as they were trained."""
        return [entry for system in systems for entry in self.of_system(run, system)]

    def of_system(self, run: Run, system: System) -> list[Entry]:
        """The entries about a system; experiments that compare systems define ``entries`` instead."""
        raise NotImplementedError(f"{type(self).__name__} compares systems")


@dataclass(frozen=True)
class RefittingExperiment(Experiment):
    """An experiment that fits feature groups again.

    Attributes:
        features: folds of the cross-fitting, and the cut of as-of groups.
    """

    features: FeatureSettings

    def reads(self) -> tuple[Product, ...]:
        """Inputs of features, features and models."""
        inputs = Featurize(groups_of(self.systems), self.systems[0].task, self.features).reads()
        return tuple(dict.fromkeys((*inputs, *super().reads())))

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT


# Evaluation splits of experiments, and the training examples of each.


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


# Variants of one system, each trained and ranked separately, then evaluated against the full system.

FULL = "all"
"""The variant with all features."""


@dataclass(frozen=True)
class Variant:
    """One way to train a system.

    Attributes:
        name: of the variant; the full system's is ``FULL``.
        parts: examples with features; each is trained and ranked separately, and no query is in two of them.
    """

    name: str
    parts: tuple[Part, ...]


def rank_variant(system: System, variant: Variant, *, run_id: str = "experiment") -> DataFrame:
    """Train a variant and rank with it: rows of ``RANKINGS``, persisted, of the system named like the variant."""
    models = run_concurrently(system.build().fit, [part.training for part in variant.parts])
    scored = [model.transform(part.evaluated) for model, part in zip(models, variant.parts, strict=True)]
    ranked = persist(rank_scored(reduce(DataFrame.unionByName, scored), variant.name, run_id=run_id))
    ranked.count()  # while the features are persisted
    return ranked


def measure_variants(rankings: Sequence[DataFrame], examples: DataFrame, settings: EvaluationSettings) -> list[Entry]:
    """The first measure of every variant, with its interval, and the paired test against the full system.

    Args:
        rankings: results of ``rank_variant``, one of them for ``FULL``.
        examples: the ranked examples, rows of ``EXAMPLES``.
        settings: measures, resamples, confidence and seed.

    Returns:
        The columns of ``METRICS`` with ``difference`` and ``p_value``; ``system`` is the variant's name.
    """
    measure = parse_measure(settings.measures[0])
    all_of_them = RANKINGS.conform(reduce(DataFrame.unionByName, rankings))
    with persisted(query_metrics(all_of_them, examples.select(*EXAMPLES.schema.names), [measure])) as (queries,):
        summary = summarise(queries, FULL, settings.resamples, settings.seed, settings.confidence)
    return [with_test(entry) for entry in summary.tested]


def described(system: str, measured: Iterable[Entry], variants: Mapping[str, Entry]) -> list[Entry]:
    """Evaluated variants as entries of a table of experiments.

    Args:
        system: the system of the variants.
        measured: result of ``measure_variants``.
        variants: by name, the descriptive columns of each variant.
    """
    return [{**entry, "system": system, **variants[entry["system"]]} for entry in measured]


def with_features(frame: DataFrame, features: Sequence[str]) -> DataFrame:
    """The frame with the kept features, in their order."""
    return frame.select(*(name for name in frame.columns if name not in feature_columns(frame)), *features)


@dataclass(frozen=True)
class RankEveryQuery(Step):
    """Rank the queries of a split with every system, by models that were not trained on them."""

    systems: Sequence[System]
    split: EvaluationSplit

    name = "score"

    def reads(self) -> tuple[Product, ...]:
        """Examples, features and models."""
        return read_to_rank(self.systems)

    def writes(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Train on the other folds, and rank."""
        systems = trained_recipes(run, self.systems)
        examples = task_examples(run, task_of(systems))
        with feature_frames(run, systems, examples) as frame_of:
            ranked = [
                rank_variant(system, Variant(system.name, self.split.parts(frame_of(system))), run_id=run.run_id)
                for system in systems
            ]
            counts.rows_in = examples.count()
            counts.rows_out = run.write(RANKINGS, reduce(DataFrame.unionByName, ranked))
