"""The settings of ``explain``, which shows feature contributions to the scores of a thread's candidates."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from cqa_spark.config.job_settings import StageSettings
from cqa_spark.config.sections import Section
from cqa_spark.config.site_names import SiteName
from cqa_spark.config.value_types import Shown, SystemName


class ExplainedSettings(Section):
    """Thread and system to explain."""

    flag_prefix: ClassVar[str | None] = ""

    thread: Annotated[str, Shown("ID")] = Field(default="", description="id of the question")
    site: SiteName | None = Field(
        default=None, description="site of the question; required if several sites have this id"
    )
    system: SystemName | None = Field(
        default=None, description="system to explain; default: the first of the run that supports explanations"
    )


class ExplainSettings(StageSettings):
    """Show the ranked candidates of a thread, and the feature contributions to each score."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa explain --lake build/lake --run-id beer --thread 42",
        "cqa explain --lake build/lake --run-id beer --thread 42 --site beer.stackexchange.com "
        "--system metadata_boosted_snapshot",
    )
    needs: ClassVar[tuple[str, ...]] = ("explained.thread",)

    explained: ExplainedSettings = ExplainedSettings()

    def writes(self) -> list[str]:
        """Nothing."""
        return []
