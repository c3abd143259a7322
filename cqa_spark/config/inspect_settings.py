"""The settings of ``inspect``, which shows the contents of a lake."""

from cqa_spark.config.fields import ReadRunId
from cqa_spark.config.job_settings import ShownReportSettings


class InspectSettings(ShownReportSettings):
    """Show the contents of a lake: rows, quarantined records, dangling references, and statistics of every site."""

    examples = (
        "cqa inspect --lake build/lake",
        "cqa inspect --lake build/lake --run-id mine --page mine.html",
        "cqa inspect --lake build/lake --format json > lake.json",
    )
    reading = ("{job.lake}: tables of run {job.published_run}",)

    run_id: ReadRunId = None
