"""Rankings of every query, each by models of the other folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame

from cqa_spark.experiments.evaluation_split import EvaluationSplit
from cqa_spark.experiments.variants import Variant, rank_variant
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.step import Product, Step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.score import read_to_rank
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.recipes import task_of
from cqa_spark.systems.system import System


@dataclass(frozen=True)
class RankEveryQuery(Step):
    """Rank every query with every system, by models that were not trained on it.

    Attributes:
        systems: recipes of one task, which the run has trained.
        split: the queries to rank.
    """

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
