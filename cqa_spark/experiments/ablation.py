"""Ablation of feature families: a system is trained without each family, and on each family alone."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cqa_spark.experiments.evaluation_split import EvaluationSplit, HeldOut
from cqa_spark.experiments.experiment import Experiment
from cqa_spark.experiments.variants import FULL, Variant, described, measure_variants, rank_variant, with_features
from cqa_spark.features.assembly import feature_names
from cqa_spark.features.registry import family
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import ABLATIONS
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System

_HELD_OUT = HeldOut()


@dataclass(frozen=True)
class AblateFamilies(Experiment):
    """Train systems with all features, without each family, and on each family alone."""

    split: EvaluationSplit = _HELD_OUT

    name = "ablation"
    table = ABLATIONS

    def of_system(self, run: Run, system: System) -> list[Entry]:
        """A row for each variant."""
        sets = dict(feature_sets(system))
        with feature_frames(run, [system], task_examples(run, system.task)) as frame_of:
            frame = frame_of(system)
            ranked = [
                rank_variant(system, Variant(_name(*key), self.split.parts(with_features(frame, names))))
                for key, names in sets.items()
            ]
            measured = measure_variants(ranked, self.split.measured(frame), self.settings)
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
