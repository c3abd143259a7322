"""rankings + labels → metrics."""

from __future__ import annotations

from cqa_spark.config.parts import EvaluationSettings
from cqa_spark.config.settings import EvaluateSettings
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.summary import summarise
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.workspace import open_job
from cqa_spark.spark.concurrency import run_concurrently


def evaluate(settings: EvaluateSettings) -> None:
    """Measure the rankings of a run against its judgments."""
    with open_job(settings, "evaluate", resume=True) as run:
        evaluate_step(run, settings.evaluation, baseline=settings.baseline)


def evaluate_step(run: Run, settings: EvaluationSettings, *, baseline: str) -> None:
    """Write the measures of every query, of every system, and the comparisons with the baseline."""
    with run.step("evaluate") as step:
        rankings = run.read(RANKINGS)
        step.rows_in = rankings.count()
        measures = [parse_measure(name) for name in settings.measures]
        judged = run.read(EXAMPLES).where(OUTSIDE_TRAINING)
        run.write(QUERY_METRICS, query_metrics(rankings, judged, measures))
        summary = summarise(run.read(QUERY_METRICS), baseline, settings.resamples, settings.seed, settings.confidence)
        both = [(METRICS, summary.metrics), (COMPARISONS, summary.comparisons)]
        step.rows_out = run_concurrently(lambda each: run.write(*each).rows, both)[0]
