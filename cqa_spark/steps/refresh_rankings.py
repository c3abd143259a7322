"""affected examples → rankings, merged with the published ones of all other queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.features.change_impact import widest, within
from cqa_spark.features.group import Reach
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import OUTSIDE_TRAINING, QUERY
from cqa_spark.lake.schemas.night import AFFECTED
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.step import Product, Step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.score import Score, load_trained, rankings_by
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System


@dataclass(frozen=True)
class RefreshRankings(Step):
    """Rank the queries that changes affect, or all; other queries keep their published ranking.

    Attributes:
        systems: recipes of the systems that rank.
        last: the published run; None before the first publication.
        task: the task.
        ranked_once: keep the rankings of all unaffected queries, whatever the reach of their feature groups.
    """

    systems: Sequence[System]
    last: Snapshot | None
    task: str
    ranked_once: bool = False

    name = "score"

    def reads(self) -> tuple[Product, ...]:
        """The inputs of ranking all queries."""
        return Score(self.systems, self.task).reads()

    def reads_if_present(self) -> tuple[Product, ...]:
        """The examples that changes affect."""
        return (AFFECTED,)

    def writes(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Score and rank."""
        trained = load_trained(run, [system.name for system in self.systems])
        groups = [group for each in trained.values() for group in each.groups.values()]
        reach = Reach.THREAD if self.ranked_once else widest(groups)
        if self.last is None or not run.has(AFFECTED) or reach is Reach.SITE:
            Score(self.systems, self.task).execute(run, counts)
            return
        examples = task_examples(run, self.task).where(OUTSIDE_TRAINING)
        queries = within(reach, run.read(AFFECTED)).select(*QUERY).distinct()
        gone = self.last.read(RANKINGS).select(*QUERY).distinct().join(examples, on=list(QUERY), how="left_anti")
        again = examples.join(queries, on=list(QUERY), how="left_semi")
        recipes = [each.system for each in trained.values()]
        with feature_frames(run, recipes, again, few=True) as frame_of:
            counts.rows_out = run.merge_rows(
                RANKINGS,
                rankings_by(trained, frame_of, run.run_id),
                stale=queries.unionByName(gone).distinct(),
                base=self.last.record.table_versions[RANKINGS.name],
            ).rows
        counts.rows_in = counts.rows_out // len(trained)
