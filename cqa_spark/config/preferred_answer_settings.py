"""The settings of ``dataset preferred-answer``, ``experiment preferred-answer`` and ``features audit``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from cqa_spark.config.fields import Report
from cqa_spark.config.job_settings import JobSettings, StageSettings
from cqa_spark.config.sections import FeatureSettings, ResamplingSettings, Section
from cqa_spark.config.tracking_settings import TrackedSettings
from cqa_spark.config.value_types import GroupNames, RunName, Shown, one_or_many

Sites = Annotated[tuple[Annotated[str, Shown("NAME")], ...], BeforeValidator(one_or_many)]


FromRun = Annotated[RunName | None, Field(description="run whose posts and votes are used; unset: the published one")]
RankerName = Literal["logistic", "boosted", "pairwise", "network", "text"]
RankerNames = Annotated[tuple[RankerName, ...], BeforeValidator(one_or_many)]


class AnswerSettings(Section):
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

    from_run: FromRun = None
    threads: ThreadSettings = ThreadSettings()

    def reads(self) -> list[str]:
        """The community tables of a run."""
        return [f"{self.lake}: community tables of run {self.from_run or '(the published one)'}"]


class AnswerExperimentSettings(Section):
    """What is trained, and what it is measured on."""

    flag_prefix: ClassVar[str | None] = ""

    all_sites: bool = Field(default=False, description="take every site of the lake")
    rankers: RankerNames = Field(
        default=("logistic", "boosted", "pairwise", "network", "text"),
        min_length=1,
        description="rankers to train, each on what the dump shows and on what was known at the cut",
    )
    studied: RankerNames = Field(default=("boosted",), description="those that ablation and transfer are for")
    budget: int = Field(
        default=0,
        ge=0,
        description="drawn settings to try for each ranker on the validation part, beside those that its recipe gives",
    )
    ablation: bool = Field(default=True, description="leave out each group of features, and try each alone")
    transfer: bool = Field(
        default=True, description="where there are several sites, train on all but one and measure on that one"
    )
    measured_on: Literal["test", "every"] = Field(
        default="test",
        description="the test part, as in the paper; or every question, by models of the other folds: for sites whose "
        "test part is too small",
    )
    strict: bool = Field(
        default=False, description="fail where a site's dump lacks a table, instead of leaving groups of features out"
    )


class PreferredAnswerExperimentSettings(TrackedSettings):
    """Repeat the experiment of Xu et al. (2018) on a lake: Tables 4 and 5, by site, and from site to site."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa experiment preferred-answer --lake build/lake --site beer.stackexchange.com --min-answers 2",
        "cqa experiment preferred-answer --lake build/lake --all-sites --min-answers 2 --measured-on every",
        "cqa experiment preferred-answer --lake build/lake --all-sites --name large --rankers boosted --budget 20",
    )

    from_run: FromRun = None
    threads: ThreadSettings = ThreadSettings()
    experiment: AnswerExperimentSettings = AnswerExperimentSettings()
    features: FeatureSettings = FeatureSettings()
    evaluation: ResamplingSettings = ResamplingSettings()
    report: Report = None

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Neither sites nor all of them, or both; nothing to measure or tune on; a ranker studied but not trained."""
        threads, experiment = given.get("threads") or {}, given.get("experiment") or {}
        if bool(threads.get("site")) == bool(experiment.get("all_sites")):
            yield "threads.site", "say which sites to take questions from", "give either --site NAME or --all-sites"
        if threads.get("name") == "full" and experiment.get("measured_on", "test") == "test":
            yield "experiment.measured_on", "full has no test part", "give --measured-on every, or another --name"
        if experiment.get("budget") and experiment.get("measured_on", "test") == "every":
            yield (
                "experiment.budget",
                "every question is measured on, so that none is left to tune on",
                "give --measured-on test, or tune on the training part with cqa tune",
            )
        if "rankers" in experiment and (idle := _studied(experiment).difference(one_or_many(experiment["rankers"]))):
            yield "experiment.studied", f"{', '.join(sorted(idle))}: not among the rankers", "add them to --rankers"

    def reads(self) -> list[str]:
        """The community tables of a run."""
        return [f"{self.lake}: community tables of run {self.from_run or '(the published one)'}"]

    def writes(self) -> list[str]:
        """The run's tables, the report, the log of MLflow."""
        report = self.report or f"{self.lake}/reports/{self.run_id or '(a new id)'}.html"
        return [*super().writes(), report, *self.tracking.writes()]


def _studied(experiment: Mapping[str, Any]) -> set[str]:
    default = AnswerExperimentSettings.model_fields["studied"].default
    return set(one_or_many(experiment.get("studied", default)))


class AuditSettings(Section):
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
