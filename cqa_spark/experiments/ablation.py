"""Ablation of feature families: a system is trained without each family, and on each family alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.experiments.cross_validation import refitted
from cqa_spark.experiments.experiment import (
    FULL,
    EvaluationSplit,
    Experiment,
    HeldOut,
    RefittingExperiment,
    Variant,
    described,
    measure_variants,
    rank_variant,
    with_features,
)
from cqa_spark.features.feature_table import assemble, feature_names, read_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import family
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import ABLATIONS, LEARNING_CURVES, SEEDS
from cqa_spark.rankers.candidates import with_words
from cqa_spark.rankers.registry import RANKERS, RankerSpec
from cqa_spark.rankers.tuning_ranges import members, with_values
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.feature_inputs import feature_inputs, task_examples
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
    for name, in_family in groups.items():
        alone = feature_names(in_family)
        yield ("without", name), tuple(feature for feature in system.features() if feature not in alone)
        yield ("only", name), alone


def _name(variant: str, family: str) -> str:
    return f"{variant} {family}".strip()


# Learning curves: systems trained on shares of the training threads.

SEED = 29
"""Seed of the hash that selects threads; a larger share contains all threads of a smaller one."""

_SCALE = 10_000


@dataclass(frozen=True)
class LearningCurve(RefittingExperiment):
    """Train systems on shares of the training threads, and on all of them.

    Feature groups that learn from labels are refitted on each share: otherwise the labels of all threads would leak
    into the smallest share through its features. Groups that learn only from text are not refitted.

    Attributes:
        shares: above 0 and below 1.
    """

    shares: Sequence[float]

    name = "learning curve"
    table = LEARNING_CURVES

    def of_system(self, run: Run, system: System) -> list[Entry]:
        """A row for each share."""
        with feature_inputs(run, task_examples(run, system.task), self.features) as inputs:
            ranked, variants = [], {}
            for share in (*self.shares, 1.0):
                with persisted(_assembled(run, system, inputs, share, self.features.folds)) as (frame,):
                    parts = HeldOut().parts(frame)
                    name = FULL if share == 1 else f"{share:g}"
                    ranked.append(rank_variant(system, Variant(name, parts)))
                    variants[name] = {"share": float(share), **_counts(parts[0].training)}
            measured = measure_variants(ranked, HeldOut().measured(inputs.examples), self.settings)
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


# Other seeds: systems that sample rows, features or weights, retrained on the same examples.

_APART = 1000
"""Distance between the seeds of two draws, so that members that differ only in their seed never share one."""


@dataclass(frozen=True)
class OtherSeeds(Experiment):
    """Train systems with several seeds, the recipe's own included; deterministic systems are skipped."""

    split: EvaluationSplit
    seeds: int

    name = "seeds"
    table = SEEDS

    def of_system(self, run: Run, system: System) -> list[Entry]:
        """A row for each seed; none for a deterministic system."""
        drawn = {number: with_other_seed(system.ranker, number) for number in range(self.seeds)}
        variants = {
            FULL if number == 0 else str(number): system.model_copy(update={"ranker": ranker})
            for number, ranker in drawn.items()
            if ranker is not None
        }
        if not variants:
            return []
        with feature_frames(run, [system], task_examples(run, system.task)) as frame_of:
            frame = frame_of(system)
            parts = self.split.parts(frame)
            ranked = [rank_variant(variant, Variant(name, parts)) for name, variant in variants.items()]
            measured = measure_variants(ranked, self.split.measured(frame), self.settings)
        return described(system.name, measured, {name: {"draw": draw} for draw, name in enumerate(variants)})


def with_other_seed(ranker: RankerSpec, number: int) -> RankerSpec | None:
    """The ranker with new seeds for itself and its members.

    Args:
        ranker: the ranker of a recipe.
        number: number of the draw; 0 for the recipe's own seeds.

    Returns:
        The ranker; None if it has no seeds.
    """
    given = seeds_of(ranker)
    if not given:
        return None
    seeds = {path: seed + number * _APART for path, seed in given.items()}
    return ranker.model_copy(update={"parameters": with_values(ranker.parameters, seeds)})


def seeds_of(ranker: RankerSpec) -> dict[str, int]:
    """The seeds of a ranker and its members, by path in the parameters."""
    seeds: dict[str, int] = {}
    field = RANKERS.load(ranker.name).parameters_type.model_fields.get("seed")
    if field is not None:
        seeds["seed"] = ranker.parameters.get("seed", field.default)
    for path, member in members(ranker.parameters):
        inner = seeds_of(RankerSpec.model_validate(member))
        seeds |= {f"{path}.parameters.{name}": seed for name, seed in inner.items()}
    return seeds
