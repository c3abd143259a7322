"""The settings of jobs that run a single step."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from cqa_spark.settings.sections import (
    AllowSharedThreads,
    Baseline,
    EvaluationSettings,
    FeatureSettings,
    Report,
    StageSettings,
    Systems,
    Task,
)
from cqa_spark.settings.values import GroupNames


class PairSettings(StageSettings):
    """Create the examples of every task from community tables: queries with candidates, labels and initial ranks."""

    examples = ("cqa pair --lake build/lake --run-id mine",)

    allow_shared_threads: AllowSharedThreads = False


class FeaturizeSettings(StageSettings):
    """Compute feature groups, and the processed texts that they require; replaces all earlier values of the run."""

    examples = (
        "cqa featurize --lake build/lake --run-id mine --systems best_a",
        "cqa featurize --lake build/lake --run-id mine --systems best_a --groups comment_surface_v1",
        "cqa featurize --lake build/lake --run-id beer --systems metadata_boosted_asof --strict",
    )

    task: Task = None
    systems: Systems = ()
    groups: Annotated[
        GroupNames, Field(description="feature groups, besides those of the systems; see cqa features list")
    ] = ()
    strict: bool = Field(
        default=False,
        description="fail if the dump of a site lacks a table that a group requires, instead of skipping the group",
    )
    features: FeatureSettings = FeatureSettings()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Neither systems nor groups; groups without a task."""
        if given.get("groups") and not given.get("systems") and not given.get("task"):
            yield "task", "required for groups without systems", "give --task NAME"
        if not given.get("systems") and not given.get("groups"):
            yield "groups", "no feature groups", "give --systems NAME or --groups NAME"


class EvaluateSettings(StageSettings):
    """Evaluate the rankings of a run, with bootstrap intervals and paired tests against the baseline."""

    examples = ("cqa evaluate --lake build/lake --run-id mine --evaluation.measures MAP@10 P@1",)

    baseline: Baseline = "given_order"
    evaluation: EvaluationSettings = EvaluationSettings()


class ReportSettings(StageSettings):
    """Write the report of a run: one self-contained HTML file."""

    examples = ("cqa report --lake build/lake --run-id mine --report mine.html",)

    baseline: Baseline = "given_order"
    report: Report = None
    evaluation: EvaluationSettings = EvaluationSettings()

    def writes(self) -> list[str]:
        """The HTML file."""
        return [self.report or f"{self.lake}/runs/{self.run_id}.ATTEMPT/report.html"]
