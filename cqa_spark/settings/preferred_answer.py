"""The settings of commands of the task of preferred answers: data set, experiment, and training on nights."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.nightly import NightSettings
from cqa_spark.settings.sections import (
    FeatureSettings,
    JobSettings,
    OptionalLake,
    Report,
    ResamplingSettings,
    SettingsSection,
    TrackedSettings,
)
from cqa_spark.settings.values import NotHashed, OutputFolder, RunName, SiteName, SystemName, one_or_many

Sites = Annotated[tuple[SiteName, ...], BeforeValidator(one_or_many)]


FromRun = Annotated[RunName | None, Field(description="run with the posts and votes; default: the published run")]
RankerName = Literal[
    "logistic", "boosted", "pairwise", "text", "votes", "embeddings",
    "feed_forward", "decatt", "decatt_metadata", "doc2vec", "doc2vec_metadata",
]  # fmt: skip
RankerNames = Annotated[tuple[RankerName, ...], BeforeValidator(one_or_many)]


class AnswerSettings(SettingsSection):
    """Selection of candidate answers."""

    flag_prefix = ""
    rare = frozenset({"self_answers", "late_answers", "deleted_owners", "within_hours", "open_questions"})

    min_answers: int = Field(default=4, ge=2, description="minimum number of answers per question")
    self_answers: bool = Field(default=True, description="keep answers by the asker")
    late_answers: bool = Field(default=True, description="keep answers posted after the acceptance")
    deleted_owners: bool = Field(default=True, description="keep answers by deleted accounts")
    within_hours: float | None = Field(
        default=None, gt=0, description="keep only answers posted within this many hours of the question; default: all"
    )
    open_questions: bool = Field(
        default=False, description="with within_hours: keep only questions whose acceptance was not known by then"
    )


class ThreadSettings(AnswerSettings):
    """Selection of threads and answers for the data set."""

    name: Literal["small", "large", "full"] = Field(
        default="small",
        description="small: 10,000 questions; large: 70,000; full: all except the test questions of large",
    )
    site: Sites = Field(default=(), description="sites to take questions from; default: all sites of the lake")
    split: Literal["hash", "temporal"] = Field(
        default="hash",
        description="assign one half to train and a quarter each to dev and test: by hash, or by time with "
        "the earliest questions in train",
    )


class PreferredAnswerDatasetSettings(JobSettings):
    """Create the SMALL, LARGE or FULL data set of Xu et al. (2018) from answered questions, with a data card."""

    examples = (
        "cqa dataset preferred-answer --lake build/lake --run-id beer --site beer.stackexchange.com --min-answers 2",
        "cqa dataset preferred-answer --lake build/lake --name large --split temporal",
    )

    from_run: FromRun = None
    threads: ThreadSettings = ThreadSettings()

    def reads(self) -> list[str]:
        """The community tables of a run."""
        return [f"{self.lake}: community tables of run {self.from_run or '(published)'}"]


class AnswerExperimentSettings(SettingsSection):
    """Training and evaluation of the experiment."""

    flag_prefix = ""
    rare = frozenset({"studied", "seeds", "ablation", "transfer", "evaluation_split", "strict"})

    all_sites: bool = Field(default=False, description="use all sites of the lake")
    protocol: Literal["asof", "xu2018"] = Field(
        default="asof",
        description="asof: rank the answers posted by the cut, for questions that were still open; "
        "xu2018: rank all answers, including later ones",
    )
    rankers: RankerNames = Field(
        default=("logistic", "boosted", "pairwise", "text", "votes"),
        min_length=1,
        description="rankers to train, each with as-of features and, if available, with snapshot features; "
        "feed_forward, decatt* and doc2vec* need the extra neural",
    )
    studied: RankerNames = Field(default=("boosted",), description="rankers for seeds, ablation and transfer")
    budget: int = Field(
        default=0,
        ge=0,
        description="random parameter settings to try per ranker on the dev split, besides those of its recipe",
    )
    seeds: int = Field(default=5, ge=1, description="seeds to train the studied rankers with; 1: only the recipe's own")
    ablation: bool = Field(default=True, description="train without each feature group, and on each group alone")
    transfer: bool = Field(default=True, description="for several sites, train on all but one and evaluate on that one")
    evaluation_split: Literal["test", "every"] = Field(
        default="test",
        description="evaluate on the test split, as in the paper, or on every question by cross-validation, for "
        "sites with a small test split",
    )
    strict: bool = Field(
        default=False, description="fail if the dump of a site lacks a table, instead of skipping feature groups"
    )


class PreferredAnswerExperimentSettings(TrackedSettings):
    """Reproduce the experiment of Xu et al. (2018) on a lake: Tables 4 and 5, by site, and across sites."""

    examples = (
        "cqa experiment preferred-answer --lake build/lake --site beer.stackexchange.com --min-answers 2",
        "cqa experiment preferred-answer --lake build/lake --all-sites --min-answers 2 --evaluation-split every",
        "cqa experiment preferred-answer --lake build/lake --all-sites --name large --rankers boosted --budget 20",
        "cqa experiment preferred-answer --lake build/lake --all-sites --protocol xu2018",
    )
    is_always_tracked = True
    rare = frozenset({"from_run"})

    from_run: FromRun = None
    threads: ThreadSettings = ThreadSettings()
    experiment: AnswerExperimentSettings = AnswerExperimentSettings()
    features: FeatureSettings = FeatureSettings()
    evaluation: ResamplingSettings = ResamplingSettings()
    report: Report = None

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Neither or both of sites and all sites; no questions to evaluate or tune on; a studied ranker not trained."""
        threads, experiment = values.get("threads") or {}, values.get("experiment") or {}
        if bool(threads.get("site")) == bool(experiment.get("all_sites")):
            yield (
                "threads.site",
                "sites and all_sites exclude each other, and one is required",
                "give either --site NAME or --all-sites",
            )
        if threads.get("name") == "full" and experiment.get("evaluation_split", "test") == "test":
            yield (
                "experiment.evaluation_split",
                "full has no test split",
                "give --evaluation-split every, or another --name",
            )
        if experiment.get("budget") and experiment.get("evaluation_split", "test") == "every":
            yield (
                "experiment.budget",
                "every question is used for evaluation, so none is left for tuning",
                "give --evaluation-split test, or tune on the training split with cqa tune",
            )
        if (
            experiment.get("protocol", "asof") == "asof"
            and (values.get("features") or {}).get("cut", "delay") != "delay"
        ):
            yield (
                "features.cut",
                "the protocol asof ranks the answers of a question at one time, some hours after it",
                "leave the cut at delay, or give --protocol xu2018",
            )
        if "rankers" in experiment and (idle := _studied(experiment).difference(one_or_many(experiment["rankers"]))):
            yield "experiment.studied", f"{', '.join(sorted(idle))}: not in rankers", "add them to --rankers"

    def chosen_threads(self) -> ThreadSettings:
        """The selection of threads and answers by the protocol."""
        if self.experiment.protocol == "xu2018":
            return self.threads
        return self.threads.model_copy(update={"within_hours": self.features.cut_hours, "open_questions": True})

    def reads(self) -> list[str]:
        """The community tables of a run."""
        return [f"{self.lake}: community tables of run {self.from_run or '(published)'}"]

    def writes(self) -> list[str]:
        """The run's tables, the report, the log of MLflow."""
        report = self.report or f"{self.lake}/runs/{self.run_id or '(new)'}.ATTEMPT/report.html"
        return [*super().writes(), report, *self.tracking.writes()]


def _studied(experiment: Mapping[str, Any]) -> set[str]:
    default = AnswerExperimentSettings.model_fields["studied"].default
    return set(one_or_many(experiment.get("studied", default)))


class TrainNightsSettings(DumpJobSettings, TrackedSettings):
    """Train a system on the nights of all dumps together: replayed, before an answer was accepted, as nights rank.

    The folder has a model of all sites, one without each site, and a card with what they are worth on the others.
    """

    examples = (
        "cqa train nights --input dumps/*.stackexchange.com --model build/night_answers",
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --model build/night_answers",
    )
    needs = ("dumps.input", "model")

    lake: OptionalLake = ""
    nights: NightSettings = NightSettings()
    features: FeatureSettings = FeatureSettings()
    system: Annotated[
        SystemName, Field(description="system to train, which scores out of fold what it learns from")
    ] = "night_answers"
    model: Annotated[OutputFolder, NotHashed(), Field(description="output folder for the trained system")]

    def writes(self) -> list[str]:
        """The model, and the tables if a lake is given."""
        return [self.model, *([f"{self.lake}: tables of run {self.run_id or '(new)'}"] if self.lake else [])]
