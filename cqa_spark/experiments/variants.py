"""Variants of one system, each trained and ranked separately, then evaluated against the full system."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame

from cqa_spark.config.sections import EvaluationSettings
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.summary import summarise, with_test
from cqa_spark.experiments.evaluation_split import EvaluationSplit, Part
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.rankings import rank_scored
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.spark.persistence import persist, persisted
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.score import read_to_rank
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.recipes import task_of
from cqa_spark.systems.system import System

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
