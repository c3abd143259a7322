"""``cqa train findings``: dumps of many sites → the models of findings that the package ships."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.findings import FindingSettings
from cqa_spark.settings.sections import OptionalLake, TrackedSettings
from cqa_spark.settings.values import NotHashed, OutputFolder

if TYPE_CHECKING:
    import pyarrow as pa

    from cqa_spark.corpora.source import Source
    from cqa_spark.findings.finding import Finding
    from cqa_spark.runtime.flow import Flow


class TrainFindingsSettings(DumpJobSettings, TrackedSettings):
    """Learn the models of findings on all dumps together, and for each site on the others; a file for each model."""

    examples = ("cqa train findings --input dumps/*.stackexchange.com --models conf/trained/findings",)
    needs = ("dumps.input", "models")

    lake: OptionalLake = ""
    findings: FindingSettings = FindingSettings()
    models: Annotated[OutputFolder, NotHashed(), Field(description="output folder for the models")]

    def writes(self) -> list[str]:
        """The models, and the tables if a lake is given."""
        return [self.models, *([f"{self.lake}: tables of run {self.run_id or '(new)'}"] if self.lake else [])]


def train_findings(settings: TrainFindingsSettings) -> None:
    """Learn the models, and write them."""
    from cqa_spark.corpora.source import one_dump
    from cqa_spark.findings.finding import all_findings
    from cqa_spark.object_store.locations import write_file
    from cqa_spark.runtime.workspace import run_flow, temporary_lake

    with temporary_lake(settings) as job:
        run = run_flow(findings_flow(job, one_dump("stackexchange", job)), job)
        for finding in all_findings():
            if not all(run.has(table) for table in finding.rows.reads):
                continue
            tables = {table.name: run.read(table) for table in finding.rows.tables if run.has(table)}
            for name, model in learned(finding, finding.rows.make(tables)).items():
                write_file(f"{settings.models}/{name}.json", model.encode(), settings.object_storage)
                Terminal().line(f"{name}: {settings.models}/{name}.json")


def planned_flow(settings: TrainFindingsSettings) -> Flow:
    """The flow that ``cqa train findings`` would run now."""
    from cqa_spark.corpora.source import planned_dump

    return findings_flow(settings, planned_dump("stackexchange", settings))


def findings_flow(settings: TrainFindingsSettings, source: Source) -> Flow:
    """Dumps → the tables that findings read."""
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.find import EmbedQuestions
    from cqa_spark.steps.ingest import Ingest

    return Flow("train findings", (Ingest(source, "stackexchange"), EmbedQuestions(settings.findings.encoder)))


def learned(finding: Finding, rows: object) -> dict[str, str]:
    """The models of a finding as JSON, by name; learned in one task.

    Args:
        finding: the finding.
        rows: of all sites.
    """
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from cqa_spark.findings.finding import Examples
    from cqa_spark.findings.linear_model import FindingModel
    from cqa_spark.spark.frames import learn_in_one_task
    from cqa_spark.steps.find import groups_by_site

    def learn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        by_model: dict[str, dict[str, Examples]] = {}
        for site, of_site in groups_by_site(batches, finding.rows.group):
            for examples in finding.examples(of_site):
                by_site = by_model.setdefault(examples.model, {})
                by_site[site] = by_site[site].followed_by(examples) if site in by_site else examples
        models = {name: FindingModel.fit(by_site).model_dump_json(indent=1) for name, by_site in by_model.items()}
        yield pa.RecordBatch.from_pydict({"name": [*models], "model": [*models.values()]}, schema=_MODELS)

    assert isinstance(rows, DataFrame)
    _MODELS = pa.schema([("name", pa.string()), ("model", pa.string())])
    models = learn_in_one_task(rows, finding.rows.group, learn, "name string, model string")
    return {row["name"]: f"{row['model']}\n" for row in models}


JOBS = (
    Job(
        "train findings",
        "dumps of many sites → models of what somebody should look at",
        "single steps",
        TrainFindingsSettings,
        train_findings,
        flow=planned_flow,
        step=5,
    ),
)
