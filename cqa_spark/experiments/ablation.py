"""What each family of features is worth to a system: trained without it, and on it alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pyspark.sql import DataFrame

from cqa_spark.config.parts import EvaluationSettings
from cqa_spark.experiments.evaluation_split import EvaluationSplit, HeldOut
from cqa_spark.experiments.variants import FULL, Variant, measure_variants, named, rank_variant, with_features
from cqa_spark.features.assembly import feature_names
from cqa_spark.features.registry import family
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.metrics import ABLATIONS
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System

_HELD_OUT = HeldOut()
_DESCRIBED = "name string, variant string, family string, features int"


def ablate(run: Run, system: System, settings: EvaluationSettings, on: EvaluationSplit = _HELD_OUT) -> DataFrame:
    """Train a system as it is, without each family, and on each family alone; measure all on the same queries.

    Args:
        run: a run whose features are computed.
        system: a system that learns from two families or more.
        settings: the first measure, and how sure it is.
        on: what is measured on.

    Returns:
        Rows of ``ABLATIONS``.
    """
    kept = dict(feature_sets(system))
    with feature_frames(run, [system], task_examples(run, system.task)) as frame_of:
        frame = frame_of(system)
        ranked = [
            rank_variant(system, Variant(_name(*key), on.parts(with_features(frame, names))))
            for key, names in kept.items()
        ]
        measured = measure_variants(ranked, on.measured(frame), settings)
        rows = [(_name(*key), *key, len(names)) for key, names in kept.items()]
        described = run.lake.spark.createDataFrame(rows, _DESCRIBED)
        found = ABLATIONS.conform(named(system.name, measured, described)).persist()
        found.count()
    return found


def feature_sets(system: System) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """What each variant learns from: (variant, family) and the features, in the order of the system's groups."""
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
