"""``cqa train findings``: dumps of many sites → the models of findings that the package ships."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.findings import FindingSettings
from cqa_spark.settings.sections import OptionalLake, TrackedSettings
from cqa_spark.settings.values import NotHashed, OutputFolder

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

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
    """Learn the models, and write them; those that the dumps have no examples of are left out, with a warning.

    Raises:
        InputError: the dumps have nothing that any model can learn from.
    """
    from cqa_spark.corpora.source import one_dump
    from cqa_spark.errors import InputError
    from cqa_spark.findings.finding import all_findings
    from cqa_spark.object_store.locations import require_writable, write_file
    from cqa_spark.runtime.workspace import run_flow, temporary_lake

    require_writable(settings.models, settings.object_storage)
    with temporary_lake(settings) as job:
        run, written = run_flow(findings_flow(job, one_dump("stackexchange", job)), job), 0
        for finding in all_findings():
            if not all(run.has(table) for table in finding.rows.reads):
                continue
            tables = {table.name: run.read(table) for table in finding.rows.tables if run.has(table)}
            for name, rows, positive, model in learned(finding, finding.rows.make(tables)):
                if model is None:
                    Terminal(stderr=True).line(
                        f"warning: {name} is not learned: {positive:,} of its {rows:,} examples are positive; a model "
                        "needs both kinds, on two sites or more"
                    )
                    continue
                write_file(f"{settings.models}/{name}.json", f"{model}\n".encode(), settings.object_storage)
                Terminal().line(f"{name}: {rows:,} examples, {positive:,} positive: {settings.models}/{name}.json")
                written += 1
        if not written:
            raise InputError(
                "the dumps have nothing to learn from: no late answers with votes of a year after, and no links",
                "give dumps with Votes.xml or PostLinks.xml of more sites",
            )


def planned_flow(settings: TrainFindingsSettings) -> Flow:
    """The flow that ``cqa train findings`` would run now."""
    from cqa_spark.corpora.source import planned_dump

    return findings_flow(settings, planned_dump("stackexchange", settings))


def findings_flow(settings: TrainFindingsSettings, source: Source) -> Flow:
    """Dumps → the tables that findings read; without embeddings if related questions are judged by words."""
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.find import EmbedQuestions
    from cqa_spark.steps.ingest import Ingest

    by_text = () if settings.findings.related == "words" else (EmbedQuestions(settings.findings.encoder),)
    return Flow("train findings", (Ingest(source, "stackexchange"), *by_text))


class Learned(NamedTuple):
    """What a model of a finding has learned from.

    Attributes:
        name: of the model.
        rows: number of its examples.
        positive: how many of them are positive.
        model: as JSON; None if all examples, or all those of the other sites of one site, have one label.
    """

    name: str
    rows: int
    positive: int
    model: str | None


def learned(finding: Finding, rows: DataFrame) -> list[Learned]:
    """The models of a finding, learned in one task.

    Args:
        finding: the finding.
        rows: of all sites.
    """
    import pyarrow as pa

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
        models = []
        for name, by_site in by_model.items():
            number = sum(len(examples.labels) for examples in by_site.values())
            positive = int(sum(examples.labels.sum() for examples in by_site.values()))
            model = FindingModel.fit(by_site) if 0 < positive < number else None
            # Without a model of the others, the past of a site would be judged by a model that has learned from it.
            is_whole = model is not None and model.without.keys() == by_site.keys()
            text = model.model_dump_json(indent=1) if model is not None and is_whole else None
            models.append(Learned(name, number, positive, text))
        yield pa.RecordBatch.from_pydict({"models": [json.dumps(models)]})

    [row] = learn_in_one_task(rows, finding.rows.group, learn, "models string")
    return list(starmap(Learned, json.loads(row["models"])))


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
