"""The settings of ``explain``, which shows feature contributions to the scores of a thread's candidates."""

from typing import Annotated

from pydantic import Field

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.sections import SettingsSection, SparkSettings
from cqa_spark.config.site_names import SiteName
from cqa_spark.config.value_types import NotHashed, RunName, Shown, SystemName


class ExplainedSettings(SettingsSection):
    """Thread and system to explain."""

    flag_prefix = ""

    thread: Annotated[str, Shown("ID")] = Field(default="", description="id of the question")
    site: SiteName | None = Field(
        default=None, description="site of the question; required if several sites have this id"
    )
    system: SystemName | None = Field(
        default=None, description="system to explain; default: the first of the run that supports explanations"
    )


class ExplainSettings(JobSettings):
    """Show the ranked candidates of a thread, and the feature contributions to each score."""

    examples = (
        "cqa explain --lake build/lake --thread 42",
        "cqa explain --lake build/lake --run-id beer --thread 42 --site beer.stackexchange.com "
        "--system metadata_boosted_snapshot",
    )
    needs = ("explained.thread",)
    reading = ("{job.lake}: tables of run {job.published_run}",)
    writing = ()

    run_id: Annotated[
        RunName | None, NotHashed(), Field(description="run that trained the system; default: the published run")
    ] = None
    explained: ExplainedSettings = ExplainedSettings()
    # It reads one thread.
    spark: SparkSettings = SparkSettings(compile_plans=False)
