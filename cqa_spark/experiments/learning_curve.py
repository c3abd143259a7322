"""Learning curves: systems trained on shares of the training threads."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.experiments.evaluation_split import HeldOut
from cqa_spark.experiments.experiment import RefittingExperiment
from cqa_spark.experiments.nested_folds import refitted
from cqa_spark.experiments.variants import FULL, Variant, described, measure_variants, rank_variant
from cqa_spark.features.assembly import assemble
from cqa_spark.features.feature_table import read_values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import LEARNING_CURVES
from cqa_spark.rankers.pair_words import with_words
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.feature_inputs import feature_inputs, task_examples
from cqa_spark.systems.system import System

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
