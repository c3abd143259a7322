"""Compares systems by repeated cross-validation on the training split; dev is not used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.config.experiment_settings import ExperimentSettings
from cqa_spark.config.sections import EvaluationSettings, FeatureSettings
from cqa_spark.evaluation.summary import summarise, with_test
from cqa_spark.experiments.cross_validation import cross_validate, mean_over_repeats
from cqa_spark.experiments.nested_folds import nested_folds
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.studies import CROSS_VALIDATIONS
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.feature_inputs import IF_PRESENT
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import frame_tables
from cqa_spark.systems.recipes import groups_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact

SEED = 1
"""Seed of the folds; all systems use the same folds."""


@dataclass(frozen=True)
class CrossValidate(Step):
    """Compare all systems of a run by repeated cross-validation on the training split.

    Attributes:
        systems: recipes of one task, which the run has trained.
        settings: repeats and folds.
        evaluation: measure (the first one) and resampling.
        features: folds of the cross-fitting within each fold, and the cut of as-of groups.
    """

    systems: Sequence[System]
    settings: ExperimentSettings
    evaluation: EvaluationSettings
    features: FeatureSettings

    name = "cross-validation"

    def reads(self) -> tuple[Product, ...]:
        """Inputs of features, features and models."""
        groups = groups_of(self.systems)
        models = [Artifact(model_artifact(system.name)) for system in self.systems]
        return *Featurize(groups, self.systems[0].task, self.features).reads(), *frame_tables(self.systems), *models

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """A row for each system."""
        return (CROSS_VALIDATIONS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare them."""
        systems = trained_recipes(run, self.systems)
        counts.rows_in = len(systems)
        entries = compare(run, systems, self.settings, self.evaluation, self.features)
        counts.rows_out = run.write_entries(CROSS_VALIDATIONS, entries)


def compare(
    run: Run,
    systems: Sequence[System],
    settings: ExperimentSettings,
    evaluation: EvaluationSettings,
    features: FeatureSettings,
) -> list[Entry]:
    """Cross-validate systems of one task, and test each against the one with the highest mean.

    Args:
        run: a run with computed features.
        systems: of one task.
        settings: repeats and folds.
        evaluation: measure (the first one) and resampling.
        features: folds of the cross-fitting within each fold, and the cut of as-of groups.

    Returns:
        Entries of ``CROSS_VALIDATIONS``.
    """
    measure, protocol = evaluation.measures[0], {"repeats": settings.repeats, "folds": settings.folds}
    with nested_folds(run, systems, features, **protocol, seed=SEED) as parts_of:
        validated = {
            system.name: cross_validate(system.build(), parts_of(system), name=system.name, measure=measure)
            for system in systems
        }
    best = max(validated, key=lambda name: validated[name].mean)
    with persisted(mean_over_repeats(validated.values())) as (queries,):
        summary = summarise(queries, best, evaluation.resamples, evaluation.seed, evaluation.confidence)
    rows = [
        {**with_test(entry), "best": best, **protocol, "spread": validated[entry["system"]].spread}
        for entry in summary.tested
    ]
    return [{name: value for name, value in row.items() if name != "split"} for row in rows]
