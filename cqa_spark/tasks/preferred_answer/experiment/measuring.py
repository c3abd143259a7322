"""rankings → Table 4: over all sites and on each, against every baseline, and snapshot against as-of."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.sections import ResamplingSettings
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.resampling import Resampling
from cqa_spark.evaluation.summary import summarise, summarise_by_site
from cqa_spark.experiments.evaluation_split import EvaluationSplit
from cqa_spark.lake.query_measures import by_measure, of_systems
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, SITE_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.sections.xu_2018.labels import AS_OF, SNAPSHOT
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.tasks.preferred_answer.experiment.lineup import BASELINES, learned_system
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer


@dataclass(frozen=True)
class Measure(Step):
    """Evaluate systems over all sites and on each, against every baseline, and snapshot against as-of.

    Attributes:
        split: the evaluation examples.
        settings: resamples, confidence and seed.
        rankers: the trained rankers, each in two variants.
        at_random: systems whose measures are expectations over all orders.
    """

    split: EvaluationSplit
    settings: ResamplingSettings
    rankers: Sequence[str]
    at_random: Collection[str] = ()

    name = "evaluate"

    def reads(self) -> tuple[Product, ...]:
        """Rankings and the labels of examples."""
        return RANKINGS, EXAMPLES

    def writes(self) -> tuple[Product, ...]:
        """Measures of queries, of systems by site and over all, and comparisons."""
        return QUERY_METRICS, SITE_METRICS, METRICS, COMPARISONS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write all four; all systems are tested against the baseline that is best over all sites."""
        examples = self.split.measured(task_examples(run, PreferredAnswer.name)).select(*EXAMPLES.schema.names)
        measures = [parse_measure(name) for name in PreferredAnswer.measures]
        measured = query_metrics(run.read(RANKINGS), examples, measures, at_random=self.at_random)
        counts.rows_in = run.write(QUERY_METRICS, measured)
        queries = run.read(QUERY_METRICS)
        best = best_baseline(queries)
        drawn = Resampling(self.settings.resamples, self.settings.seed, self.settings.confidence)
        by_site = summarise_by_site(queries, best, drawn)
        counts.rows_out = run.write_entries(SITE_METRICS, by_site)
        of_all = [entry for entry in by_site if entry["site"] == EVERY]
        run.write_entries(
            METRICS, [{column.name: entry[column.name] for column in METRICS.columns} for entry in of_all]
        )
        ranked = {entry["system"] for entry in of_all}
        tested = run_concurrently(
            lambda contrast: summarise(of_systems(queries, contrast[1]), contrast[0], *drawn),
            contrasts(ranked, best, self.rankers),
        )
        run.write_entries(COMPARISONS, [entry for summary in tested for entry in summary.comparisons])


def best_baseline(queries: DataFrame) -> str:
    """The baseline with the highest first measure on the evaluation examples; ties are broken by name."""
    of_baselines = by_measure(of_systems(queries, BASELINES)).where(F.col("measure") == PreferredAnswer.measures[0])
    means = of_baselines.groupBy("system").agg(F.avg("value").alias("mean"))
    first = means.orderBy(F.round("mean", 9).desc(), "system").first()
    assert first is not None, "random_answer needs no features and is always ranked"
    return str(first["system"])


def contrasts(ranked: set[str], best: str, rankers: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The paired tests: a reference system, and the systems tested against it, including itself.

    Args:
        ranked: the systems with rankings.
        best: the best baseline; all systems are tested against it.
        rankers: the trained rankers.
    """
    learned = sorted(ranked.difference(BASELINES))
    yield best, sorted(ranked)
    for baseline in BASELINES:
        if baseline in ranked and baseline != best:
            yield baseline, [baseline, *learned]
    for ranker in rankers:
        pair = [learned_system(ranker, AS_OF), learned_system(ranker, SNAPSHOT)]
        if ranked.issuperset(pair):
            yield pair[0], pair
