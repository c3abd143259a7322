"""Ablation of feature families: a system is trained without each family, and on each family alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cqa_spark.config.sections import EvaluationSettings
from cqa_spark.experiments.evaluation_split import EvaluationSplit, HeldOut
from cqa_spark.experiments.variants import (
    FULL,
    Variant,
    described,
    measure_variants,
    rank_variant,
    with_features,
)
from cqa_spark.features.assembly import feature_names
from cqa_spark.features.registry import family
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.studies import ABLATIONS
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact

_HELD_OUT = HeldOut()


@dataclass(frozen=True)
class AblateFamilies(Step):
    """Train systems without each family of features, and on each family alone.

    Attributes:
        systems: recipes that the run has trained.
        settings: measure (the first one) and resampling.
        split: examples to evaluate on.
    """

    systems: Sequence[System]
    settings: EvaluationSettings
    split: EvaluationSplit = _HELD_OUT

    name = "ablation"

    def reads(self) -> tuple[Product, ...]:
        """Examples, features, models."""
        models = [Artifact(model_artifact(system.name)) for system in self.systems]
        return EXAMPLES, *frame_tables(self.systems), *models

    def writes(self) -> tuple[Product, ...]:
        """A row for each variant."""
        return (ABLATIONS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Ablate one system after the other."""
        systems = trained_recipes(run, self.systems)
        counts.rows_in = len(systems)
        entries = [entry for system in systems for entry in ablate(run, system, self.settings, self.split)]
        counts.rows_out = run.write_entries(ABLATIONS, entries)


def ablate(run: Run, system: System, settings: EvaluationSettings, split: EvaluationSplit = _HELD_OUT) -> list[Entry]:
    """Train a system with all features, without each family, and on each family alone; evaluate on the same queries.

    Args:
        run: a run with computed features.
        system: a system that learns from at least two families.
        settings: measure (the first one) and resampling.
        split: examples to evaluate on.

    Returns:
        Entries of ``ABLATIONS``.
    """
    sets = dict(feature_sets(system))
    with feature_frames(run, [system], task_examples(run, system.task)) as frame_of:
        frame = frame_of(system)
        ranked = [
            rank_variant(system, Variant(_name(*key), split.parts(with_features(frame, names))))
            for key, names in sets.items()
        ]
        measured = measure_variants(ranked, split.measured(frame), settings)
    variants = {
        _name(variant, family): {"variant": variant, "family": family, "features": len(names)}
        for (variant, family), names in sets.items()
    }
    return described(system.name, measured, variants)


def feature_sets(system: System) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """The features of each variant, by (variant, family), in the order of the system's groups."""
    groups = defaultdict(list)
    for group in system.feature_groups:
        groups[family(group)].append(group)
    yield (FULL, ""), system.features()
    if len(groups) < 2:
        return
    for name, members in groups.items():
        alone = feature_names(members)
        yield ("without", name), tuple(feature for feature in system.features() if feature not in alone)
        yield ("only", name), alone


def _name(variant: str, family: str) -> str:
    return f"{variant} {family}".strip()
