"""rankings + labels → metrics."""

from collections.abc import Collection
from dataclasses import dataclass

from pyspark.sql import functions as F

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.summary import summarise
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.retrieval import UNRETRIEVED
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.sections import EvaluationSettings
from cqa_spark.steps.changed_sites import of_sites, site_update


@dataclass(frozen=True)
class Evaluate(Step):
    """Evaluate every system, and test each against the baseline and the best against the second best.

    Attributes:
        settings: measures, resamples, confidence and seed.
        baseline: system to compare the others with.
        at_random: systems whose measures are expectations over all orders.
        cross_validated: whether every training query was ranked, by models of the other folds.
        second_baseline: a further system to compare the others with; None for no such comparisons.
        last: the published run, whose measures are kept of sites that have not changed; None to compute all.
    """

    settings: EvaluationSettings
    baseline: str
    at_random: Collection[str] = ()
    cross_validated: bool = False
    second_baseline: str | None = None
    last: Snapshot | None = None

    name = "evaluate"

    def reads(self) -> tuple[Product, ...]:
        """Rankings and the labels of examples."""
        return RANKINGS, EXAMPLES

    def reads_if_present(self) -> tuple[Product, ...]:
        """Relevant pairs that retrieval missed."""
        return (UNRETRIEVED,)

    def writes(self) -> tuple[Product, ...]:
        """Measures of queries and of systems, and comparisons."""
        return QUERY_METRICS, METRICS, COMPARISONS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write all three."""
        rankings, settings = run.read(RANKINGS), self.settings
        counts.rows_in = run.rows(RANKINGS)
        measures = [parse_measure(name) for name in settings.measures]
        examples = run.read(EXAMPLES)
        if run.has(UNRETRIEVED):
            examples = examples.unionByName(run.read(UNRETRIEVED))
        judged = (
            examples.where(IN_TRAINING).withColumn("split", F.lit(CROSS_VALIDATED))
            if self.cross_validated
            else examples.where(OUTSIDE_TRAINING)
        )
        used, inputs = {"evaluation": settings}, (RANKINGS, EXAMPLES, UNRETRIEVED)
        update = site_update(
            run, self.last, QUERY_METRICS, inputs, settings=used, versions=[*sorted(self.at_random), self.baseline]
        )
        if not update.keep():
            ranked, judged = (of_sites(frame, update.sites) for frame in (rankings, judged))
            update.write(query_metrics(ranked, judged, measures, at_random=self.at_random))
        summary = summarise(
            run.read(QUERY_METRICS),
            self.baseline,
            settings.resamples,
            settings.seed,
            settings.confidence,
            best_by=str(measures[0]),
            second_baseline=self.second_baseline,
        )
        counts.rows_out = run.write_entries(METRICS, summary.metrics)
        run.write_entries(COMPARISONS, summary.comparisons)
