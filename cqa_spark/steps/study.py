"""The journal of an experiment → its results."""

from __future__ import annotations

from cqa_spark.examples.task import task
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.attentions import ATTENTIONS
from cqa_spark.lake.schemas.metrics import COMPARISONS, SITE_METRICS
from cqa_spark.lake.schemas.studies import TRANSFERS, TRIALS
from cqa_spark.reports.preferred_answer.collect import collect_study
from cqa_spark.reports.preferred_answer.content import AnswerStudy


def found_study(run: Run) -> AnswerStudy | None:
    """The results of the experiment of a run; None for a run of another job."""
    if not run.has(SITE_METRICS):
        return None
    tables = (SITE_METRICS, COMPARISONS, TRANSFERS, TRIALS, ATTENTIONS)
    journal = {table.name: run.entries(table) for table in tables if run.has(table)}
    return collect_study(journal, task(journal[SITE_METRICS.name][0]["task"]).measures)
