"""Learning curves: systems trained on shares of the training threads."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.sections import EvaluationSettings, FeatureSettings
from cqa_spark.experiments.evaluation_split import HeldOut
from cqa_spark.experiments.nested_folds import refitted
from cqa_spark.experiments.variants import FULL, Variant, described, measure_variants, rank_variant
from cqa_spark.features.assembly import assemble
from cqa_spark.features.feature_table import read_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.studies import LEARNING_CURVES
from cqa_spark.rankers.pair_words import with_words
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.feature_inputs import IF_PRESENT, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import frame_tables
from cqa_spark.systems.recipes import groups_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact

SEED = 29
"""Seed of the hash that selects threads; a larger share contains all threads of a smaller one."""

_SCALE = 10_000


@dataclass(frozen=True)
class LearningCurve(Step):
    """Train systems on shares of the training threads.

    Attributes:
        systems: recipes that the run has trained.
        settings: measure (the first one) and resampling.
        shares: above 0 and below 1.
        features: folds of the cross-fitting, and the cut of as-of groups.
    """

    systems: Sequence[System]
    settings: EvaluationSettings
    shares: Sequence[float]
    features: FeatureSettings

    name = "learning curve"

    def reads(self) -> tuple[Product, ...]:
        """Inputs of features, features and models."""
        groups = groups_of(self.systems)
        models = [Artifact(model_artifact(system.name)) for system in self.systems]
        task = self.systems[0].task
        return *Featurize(groups, task, self.features).reads(), *frame_tables(self.systems), *models

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """A row for each share."""
        return (LEARNING_CURVES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute one curve after the other."""
        systems = trained_recipes(run, self.systems)
        counts.rows_in = len(systems)
        entries = [
            entry
            for system in systems
            for entry in learning_curve(run, system, self.settings, shares=self.shares, features=self.features)
        ]
        counts.rows_out = run.write_entries(LEARNING_CURVES, entries)


def learning_curve(
    run: Run, system: System, settings: EvaluationSettings, *, shares: Sequence[float], features: FeatureSettings
) -> list[Entry]:
    """Train a system on each share of the training threads and on all; evaluate on the same queries.

    Feature groups that learn from labels are refitted on each share: otherwise the labels of all threads would leak
    into the smallest share through its features. Groups that learn only from text are not refitted.

    Args:
        run: a run with computed features.
        system: a trainable system.
        settings: measure (the first one) and resampling.
        shares: above 0 and below 1.
        features: folds of the cross-fitting, and the cut of as-of groups.

    Returns:
        Entries of ``LEARNING_CURVES``.
    """
    with feature_inputs(run, task_examples(run, system.task), features) as inputs:
        ranked, variants = [], {}
        for share in (*shares, 1.0):
            with persisted(_assembled(run, system, inputs, share, features.folds)) as (frame,):
                parts = HeldOut().parts(frame)
                name = FULL if share == 1 else f"{share:g}"
                ranked.append(rank_variant(system, Variant(name, parts)))
                variants[name] = {"share": float(share), **_counts(parts[0].training)}
        measured = measure_variants(ranked, HeldOut().measured(inputs.examples), settings)
    return described(system.name, measured, variants)


def in_share(share: float) -> Column:
    """Whether an example belongs to this share of the threads: a hash of its ``fold_key``."""
    return F.pmod(F.xxhash64(F.lit(SEED), "fold_key"), F.lit(_SCALE)) < F.lit(round(share * _SCALE))


def _assembled(run: Run, system: System, inputs: FeatureInputs, share: float, folds: int) -> DataFrame:
    share_inputs = inputs.keep_examples((F.col("split") != "train") | in_share(share))
    tables = read_values(run, system.feature_groups)
    if share < 1:
        tables |= refitted(system.feature_groups, share_inputs, tables, folds)
    examples = (
        with_words(share_inputs.examples, share_inputs.documents, share_inputs.texts)
        if system.reads_texts()
        else share_inputs.examples
    )
    joined = assemble(examples, system.feature_groups, tables)
    return joined.select(*examples.columns, *system.features())


def _counts(training: DataFrame) -> Entry:
    counted = training.where(F.col("relevant").isNotNull()).agg(
        F.count_distinct("site", "fold_key").alias("threads"), F.count("*").alias("examples")
    )
    row = counted.first()
    assert row is not None, "an aggregate has one row"
    return row.asDict()
