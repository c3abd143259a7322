"""The settings of ``dataset preferred-answer`` and of ``features audit``."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from cqa_spark.config.job_settings import JobSettings, StageSettings
from cqa_spark.config.kinds import GroupNames, RunName, Shown, one_or_many
from cqa_spark.config.parts import FeatureSettings, Part

Sites = Annotated[tuple[Annotated[str, Shown("NAME")], ...], BeforeValidator(one_or_many)]


class AnswerSettings(Part):
    """Which answers are candidates."""

    flag_prefix: ClassVar[str | None] = ""

    min_answers: int = Field(default=4, ge=2, description="answers that a question needs")
    self_answers: bool = Field(default=True, description="keep answers that the asker gave")
    late_answers: bool = Field(default=True, description="keep answers given after the acceptance")
    deleted_owners: bool = Field(default=True, description="keep answers of deleted accounts")
    within_hours: float | None = Field(
        default=None, gt=0, description="keep answers given within so many hours of the question only; unset: all"
    )


class ThreadSettings(AnswerSettings):
    """Which threads and answers make up the data set."""

    name: Literal["small", "large", "full"] = Field(
        default="small", description="10,000 questions, 70,000, or all but those that large is measured on"
    )
    site: Sites = Field(default=(), description="sites to take questions from; unset: all of the lake")
    split: Literal["hash", "temporal"] = Field(
        default="hash",
        description="half for training, a quarter each as dev and test: by a hash, or the earlier questions of a site "
        "for training",
    )


class PreferredAnswerDatasetSettings(JobSettings):
    """Make examples of answered questions: SMALL, LARGE or FULL of Xu et al. (2018), with a data card."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa dataset preferred-answer --lake build/lake --run-id beer --site beer.stackexchange.com --min-answers 2",
        "cqa dataset preferred-answer --lake build/lake --name large --split temporal",
    )

    from_run: Annotated[
        RunName | None, Field(description="run whose posts and votes are used; unset: the published one")
    ] = None
    threads: ThreadSettings = ThreadSettings()

    def reads(self) -> list[str]:
        """The community tables of a run."""
        return [f"{self.lake}: community tables of run {self.from_run or '(the published one)'}"]


class AuditSettings(Part):
    """What is audited, and how thoroughly."""

    flag_prefix: ClassVar[str | None] = ""

    groups: GroupNames = Field(default=(), description="feature groups to audit; unset: all as-of groups")
    moments: int = Field(default=3, ge=1, description="moments, spread over the cuts, after which all is changed")


class FeatureAuditSettings(StageSettings):
    """Prove that as-of features know nothing of what came later: change it all, and compare."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa features audit --lake build/lake --run-id beer",
        "cqa features audit --lake build/lake --run-id beer --groups basic_u_asof_v1 --moments 5",
    )

    audit: AuditSettings = AuditSettings()
    features: FeatureSettings = FeatureSettings()

    def writes(self) -> list[str]:
        """Nothing but the log."""
        return [f"{self.lake}: one row of the log of runs"]
