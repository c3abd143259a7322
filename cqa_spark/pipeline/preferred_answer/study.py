"""The tables that an experiment wrote → what it found."""

from __future__ import annotations

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.metrics import COMPARISONS, SITE_METRICS, TRANSFERS, TRIALS
from cqa_spark.pipeline.preferred_answer.lineup import MEASURES
from cqa_spark.reports.preferred_answer.collect import collect_study
from cqa_spark.reports.preferred_answer.content import AnswerStudy


def found_study(run: Run) -> AnswerStudy | None:
    """What the experiment of a run found; None where the run is of another job."""
    if SITE_METRICS.name not in run.record.table_versions:
        return None
    tables = (SITE_METRICS, COMPARISONS, TRANSFERS, TRIALS)
    return collect_study(
        {table.name: run.read(table) for table in tables if table.name in run.record.table_versions}, MEASURES
    )
