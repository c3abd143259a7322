"""rankings → the figures of Table 4: over all sites and on each, against every baseline, and snapshot against as-of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.parts import ResamplingSettings
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.summary import Resampling, summarise, summarise_by_site
from cqa_spark.experiments.preferred_answer.lineup import BASELINES, MEASURES, learned_system
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, SITE_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.preferred_answer.labels import AS_OF, SNAPSHOT


def measure_step(run: Run, measured: DataFrame, settings: ResamplingSettings, rankers: Sequence[str]) -> str:
    """Write all figures of the systems.

    Args:
        run: a run that ranked.
        measured: the examples that are measured on.
        settings: how sure the figures are.
        rankers: those that were trained, each in two variants.

    Returns:
        The best baseline on all sites together, which is what every system is tested against.
    """
    with run.step("measure") as step:
        examples = measured.select(*EXAMPLES.schema.names)
        measures = [parse_measure(name) for name in MEASURES]
        step.rows_in = run.write(QUERY_METRICS, query_metrics(run.read(RANKINGS), examples, measures)).rows
        queries = run.read(QUERY_METRICS)
        best = best_baseline(queries)
        drawn = Resampling(settings.resamples, settings.seed, settings.confidence)
        by_site = run.write(SITE_METRICS, summarise_by_site(queries, best, drawn))
        of_all = run.read(SITE_METRICS).where(F.col("site") == EVERY)
        run.write(METRICS, of_all.select(*METRICS.schema.names))
        ranked = {row["system"] for row in of_all.select("system").distinct().collect()}
        tested = [
            summarise(queries.where(F.col("system").isin(*systems)), against, *drawn).comparisons
            for against, systems in contrasts(ranked, best, rankers)
        ]
        run.write(COMPARISONS, reduce(DataFrame.unionByName, tested))
        step.rows_out = by_site.rows
    return best


def best_baseline(queries: DataFrame) -> str:
    """The baseline with the highest first measure on what is measured; the first by name of equal ones."""
    of_baselines = queries.where(F.col("system").isin(*BASELINES) & (F.col("measure") == MEASURES[0]))
    means = of_baselines.groupBy("system").agg(F.avg("value").alias("mean"))
    first = means.orderBy(F.round("mean", 9).desc(), "system").first()
    assert first is not None, "random_answer needs nothing and is always ranked"
    return str(first["system"])


def contrasts(ranked: set[str], best: str, rankers: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """What is tested against what: a system, and itself with those that are tested against it.

    Args:
        ranked: the systems that ranked.
        best: the best baseline; everything is tested against it.
        rankers: those that were trained.
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
