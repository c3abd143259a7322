"""The settings of ``nightly``, which tasks read, and the formats of exported rankings."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, Field

from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.findings import FindingSettings
from cqa_spark.settings.sections import (
    CREDENTIAL,
    CheckSettings,
    EvaluationSettings,
    FeatureSettings,
    Force,
    Full,
    InputFormat,
    KeptPublications,
    PageRows,
    Pages,
    Report,
    RetrievalSettings,
    SettingsSection,
    Task,
    TrackedSettings,
    TrainingInputs,
    Who,
    forced_by_nobody,
)
from cqa_spark.settings.values import InputFile, NotHashed, Shown, SystemName, refused

ExportFormat = Literal["parquet", "jsonl", "csv"]


class NightSettings(SettingsSection):
    """Selection of the nights of questions."""

    flag_prefix = ""

    min_answers: int = Field(default=2, ge=2, description="minimum number of answers of a question to rank")


def _web_address(url: str) -> str:
    """Refuse what is no address of the web, and credentials, which runs would record."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise refused("this is no address of the web", "give http(s)://HOST/PATH")
    if parts.username or parts.password or any(CREDENTIAL.search(name) for name, _ in parse_qsl(parts.query)):
        raise refused("the address contains credentials", "set CQA_WEBHOOK_URL to it, which no run records")
    return url


class WebhookSettings(SettingsSection):
    """Webhook: a program that is told of every publication; CQA_WEBHOOK_SECRET signs the request."""

    url: Annotated[str, AfterValidator(_web_address), Shown("URL")] | None = Field(
        default=None,
        description="address that is sent a request after publishing; default: CQA_WEBHOOK_URL, else no request",
    )
    attempts: int = Field(default=4, ge=1, description="attempts before a warning")
    backoff: float = Field(
        default=1, ge=0, description="seconds before the second repetition, doubled for each further one"
    )
    timeout: float = Field(default=10, gt=0, description="seconds without a response after which an attempt fails")


class NightlySettings(DumpJobSettings, TrackedSettings):
    """Update the rankings from a new dump, or from a folder of threads: rank what changed, check, and publish.

    Systems that learn from annotated files are trained in the first night (``--train``), or given (``--model``).
    """

    examples = (
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake",
        "cqa nightly --config conf/duplicates.yaml --task duplicate --input beer.stackexchange.com/ --lake build/lake",
        "cqa nightly --system best_a --input new/ --train train.xml --lake build/lake",
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --retrain",
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --force --who 'A. Editor'",
    )
    rare = DumpJobSettings.rare | {
        "accepted",
        "dump_format",
        "retrain",
        "max_model_age",
        "full",
        "pages",
        "page_rows",
    }

    dump_format: InputFormat = None
    inputs: Annotated[TrainingInputs, NotHashed()] = TrainingInputs()
    task: Task = None
    answers: NightSettings = NightSettings()
    accepted: Annotated[
        Literal["first", "ignored"],
        Field(description="whether the accepted answer is served before the others, or in their order"),
    ] = "first"
    findings: FindingSettings = FindingSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    system: Annotated[
        SystemName,
        Field(description="system to rank with; trained in the first night unless the package ships it, then reused"),
    ] = "night_answers"
    model: Annotated[InputFile | None, Shown("PATH")] = Field(
        default=None,
        description="folder of a trained system to use from now on; default: that of the published run or, in the "
        "first night, of the package",
    )
    retrain: Annotated[bool, NotHashed()] = Field(
        default=False,
        description="retrain the system on the lake's sites now, not only with a tenth more labels or when it is "
        "old; it ranks if it is not worse",
    )
    max_model_age: int = Field(
        default=365,
        ge=1,
        description="age in days, by the newest post of the dumps, from which a system is retrained without more "
        "labels",
    )
    full: Full = False
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    checks: CheckSettings = CheckSettings()
    force: Force = False
    who: Who = None
    report: Report = None
    pages: Pages = True
    page_rows: PageRows = 250_000
    keep: KeptPublications = 7
    webhook: Annotated[WebhookSettings, NotHashed()] = WebhookSettings()

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """``--force`` without ``--who``."""
        return forced_by_nobody(values)

    def space_factors(self) -> tuple[float, float]:
        """More for systems that may embed texts or search for candidates; docs/benchmarks.md has the measurements."""
        return (1, 1) if self.system == NightlySettings.model_fields["system"].default else (2, 3)

    def reads(self) -> list[str]:
        """The dumps and the published run."""
        return [*self.dumps.input, f"{self.lake}: tables of the published run"]

    def writes(self) -> list[str]:
        """The run."""
        run = self.run_id or "(new)"
        return [f"{self.lake}: tables of run {run}, published if the checks pass"]
