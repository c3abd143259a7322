"""The content of a run's report, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.experiments.content import Ablation, CrossValidation, CurvePoint, SeedValues
from cqa_spark.reports.kit.grid import Grid
from cqa_spark.reports.night.content import Night
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.run.differences.content import Differences
from cqa_spark.reports.run.features.content import FeatureImportance
from cqa_spark.reports.run.intake.content import Intake
from cqa_spark.reports.run.queries.content import QueryStory
from cqa_spark.reports.run.record.content import RunFacts
from cqa_spark.reports.run.scores.content import ScoreHistogram, ScoreStudy
from cqa_spark.reports.run.systems.content import Evaluation
from cqa_spark.reports.similarity.content import Similarity


@dataclass(frozen=True)
class Caution:
    """A limitation of feature groups that affects the results.

    Attributes:
        text: description, without a full stop.
        groups: feature groups that have the limitation.
        systems: systems that use these groups.
    """

    text: str
    groups: tuple[str, ...]
    systems: tuple[str, ...]


NOTHING_READ = Intake()


@dataclass(frozen=True)
class RunReport:
    """The content of the page; ``queries_page`` and ``queries_csv`` name files beside it that hold every query."""

    run: RunFacts
    evaluation: Evaluation
    differences: Differences | None = None
    histograms: tuple[ScoreHistogram, ...] = ()
    scores: ScoreStudy | None = None
    importances: tuple[FeatureImportance, ...] = ()
    stories: tuple[QueryStory, ...] = ()
    pairs: tuple[Grid, ...] = ()
    cross_validations: tuple[CrossValidation, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    curves: tuple[CurvePoint, ...] = ()
    seeds: tuple[SeedValues, ...] = ()
    intake: Intake = NOTHING_READ
    cautions: tuple[Caution, ...] = ()
    study: AnswerStudy | None = None
    night: Night | None = None
    similarity: Similarity | None = None
    queries_page: str | None = None
    queries_csv: str | None = None
