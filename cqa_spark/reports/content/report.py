"""Everything that the report of a run shows."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.content.distributions import Differences, ScoreHistogram
from cqa_spark.reports.content.intake import Intake
from cqa_spark.reports.content.measures import Evaluation, FeatureImportance
from cqa_spark.reports.content.run import RunFacts
from cqa_spark.reports.content.stories import QueryStory
from cqa_spark.reports.experiments import Ablation, CrossValidation, CurvePoint
from cqa_spark.reports.night.content import Night
from cqa_spark.reports.preferred_answer.content import AnswerStudy


@dataclass(frozen=True)
class Caution:
    """What a reader of the figures has to know.

    Attributes:
        text: a sentence.
        groups: feature groups that it is about.
        systems: the systems that use them.
    """

    text: str
    groups: tuple[str, ...]
    systems: tuple[str, ...]


NOTHING_READ = Intake()


@dataclass(frozen=True)
class RunReport:
    """The whole page."""

    run: RunFacts
    evaluation: Evaluation
    differences: Differences | None = None
    histograms: tuple[ScoreHistogram, ...] = ()
    importances: tuple[FeatureImportance, ...] = ()
    stories: tuple[QueryStory, ...] = ()
    cross_validations: tuple[CrossValidation, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    curves: tuple[CurvePoint, ...] = ()
    intake: Intake = NOTHING_READ
    cautions: tuple[Caution, ...] = ()
    study: AnswerStudy | None = None
    night: Night | None = None
