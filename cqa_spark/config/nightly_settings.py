"""The settings of ``nightly``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.config.fields import Report
from cqa_spark.config.preferred_answer_settings import AnswerSettings
from cqa_spark.config.sections import EvaluationSettings, FeatureSettings
from cqa_spark.config.value_types import Location, NotHashed, Shown, SystemName


class NightlySettings(DumpJobSettings):
    """Turn a new dump into new rankings: what changed is computed again, checked, and published."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --min-answers 2",
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --force --who 'A. Editor'",
    )
    corpus: Annotated[str, Field(description="source format of the dump")] = "stackexchange"
    answers: AnswerSettings = AnswerSettings()
    system: Annotated[SystemName, Field(description="system that ranks; trained in the first night, then kept")] = (
        "metadata_boosted_asof"
    )
    model: Annotated[
        Location | None, Field(description="folder of a trained system to rank with from now on; unset: the last run's")
    ] = None
    full: Annotated[bool, NotHashed(), Field(description="compute everything again, also what did not change")] = False
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    checks: CheckSettings = CheckSettings()
    force: Annotated[bool, NotHashed(), Field(description="publish although checks fail; needs --who")] = False
    who: Annotated[
        str | None, NotHashed(), Shown("NAME"), Field(description="who says so; the log of runs keeps it")
    ] = None
    report: Report = None

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Force by nobody."""
        if given.get("force") and not given.get("who"):
            yield "who", "nobody says that failed checks do not matter", "give --who NAME with --force"

    def reads(self) -> list[str]:
        """The dumps, and what is published."""
        return [*self.dumps.input, f"{self.lake}: tables of the published run"]

    def writes(self) -> list[str]:
        """The run, and what readers see."""
        run = self.run_id or "(a new id)"
        return [
            f"{self.lake}: tables of run {run}, published where they pass the checks",
            f"{self.lake}/exports: {run}",
        ]
