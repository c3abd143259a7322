"""The settings of ``explain``, which shows why a system ranked a thread's candidates as it did."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from cqa_spark.config.job_settings import StageSettings
from cqa_spark.config.sections import Section
from cqa_spark.config.value_types import Shown, SystemName


class ExplainedSettings(Section):
    """What is explained."""

    flag_prefix: ClassVar[str | None] = ""

    thread: Annotated[str, Shown("ID")] = Field(default="", description="question whose candidates are explained")
    site: Annotated[str | None, Shown("NAME")] = Field(
        default=None, description="its site; needed where several sites have the thread"
    )
    system: SystemName | None = Field(
        default=None, description="system that ranks; unset: the first one of the run that can say why"
    )


class ExplainSettings(StageSettings):
    """Show a thread's candidates with their scores, and the features that moved each score up or down."""

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
