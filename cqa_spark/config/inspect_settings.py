"""The settings of ``inspect``, which shows the contents of a lake."""

from typing import Annotated

from pydantic import Field

from cqa_spark.config.job_settings import ShownReportSettings
from cqa_spark.config.value_types import NotHashed, RunName


class InspectSettings(ShownReportSettings):
    """Show the contents of a lake: rows, quarantined records, dangling references, and statistics of every site."""

    examples = (
        "cqa inspect --lake build/lake",
        "cqa inspect --lake build/lake --run-id mine --page mine.html",
        "cqa inspect --lake build/lake --format json > lake.json",
    )

    run_id: Annotated[RunName | None, NotHashed(), Field(description="run to show; default: the published run")] = None

    def reads(self) -> list[str]:
        """The tables of the run."""
        return [f"{self.lake}: tables of run {self.run_id or '(published)'}"]
