"""The settings of ``run`` and ``ingest``."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from cqa_spark.settings.experiments import ExperimentSettings, studied_not_run
from cqa_spark.settings.sections import (
    AllowSharedThreads,
    Baseline,
    Corpus,
    EvaluationSettings,
    FeatureSettings,
    Inputs,
    JobSettings,
    PageRows,
    Pages,
    Report,
    Site,
    Systems,
    TrackedSettings,
    baseline_not_run,
)
from cqa_spark.settings.values import NotHashed


class IngestSettings(JobSettings):
    """Read dumps into community tables; records that cannot be parsed are quarantined."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa ingest --lake build/lake --run-id mine --train train.xml --dev dev.xml",
    )

    site: Site = "qatarliving.com"
    corpus: Corpus = "qatar_living"
    inputs: Inputs = Inputs()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """No input files."""
        inputs = given.get("inputs")
        if not isinstance(inputs, Mapping) or not any(inputs.values()):
            yield "inputs", "no input files", "give --train, --dev, --test or --unannotated FILE"

    def reads(self) -> list[str]:
        """The input files, by split."""
        return [f"{path} ({split})" for split, paths in self.inputs.by_split().items() for path in paths]


class RunSettings(IngestSettings, TrackedSettings):
    """Run all steps, from dumps to a report and a published run, in one Spark application."""

    examples = (
        "cqa run --config conf/demo.yaml",
        "cqa run --config conf/semeval2016.yaml --systems given_order best_a --no-publish",
        "cqa run --lake build/lake --train train.xml --dev dev.xml --systems given_order tfidf --dry-run",
    )
    needs = ("inputs.train", "systems")
    is_always_tracked = True
    rare = frozenset({"allow_shared_threads", "every_fold", "pages", "page_rows"})

    systems: Systems = ()
    baseline: Baseline = "given_order"
    allow_shared_threads: AllowSharedThreads = False
    every_fold: bool = Field(
        default=False,
        description="evaluate on the training queries, each ranked by models of the other features.folds folds; "
        "for data sets without evaluation data",
    )
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True
    report: Report = None
    pages: Pages = True
    page_rows: PageRows = 250_000
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    experiments: ExperimentSettings = ExperimentSettings()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """No evaluation data, or a baseline that is not run."""
        inputs = given.get("inputs")
        held_out = isinstance(inputs, Mapping) and (inputs.get("dev") or inputs.get("test"))
        if given.get("every_fold") and held_out:
            yield "every_fold", "evaluates on the training files", "remove it, or the dev and test files"
        elif not given.get("every_fold") and not held_out:
            yield "inputs", "no evaluation data", "pass --dev FILE or --test FILE, or --every-fold"
        yield from baseline_not_run(given, "given_order")
        yield from studied_not_run(given)

    def writes(self) -> list[str]:
        """The tables of the run, the report, and the MLflow experiment."""
        published = "published" if self.publish else "not published"
        report = self.report or f"{self.lake}/runs/{self.run_id or '(new)'}.ATTEMPT/report.html"
        return [f"{super().writes()[0]}, {published}", report, *self.tracking.writes()]
