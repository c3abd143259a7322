"""The settings of ``tune``, which searches better parameters for a system's ranker."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from cqa_spark.config.job_settings import StageSettings
from cqa_spark.config.sections import EvaluationSettings, Section
from cqa_spark.config.tracking_settings import TrackedSettings
from cqa_spark.config.value_types import Location, NotHashed, SystemName


class SearchSettings(Section):
    """How much is tried, and how each trial is judged."""

    flag_prefix: ClassVar[str | None] = ""

    budget: int = Field(default=20, ge=1, description="drawn settings to try, beside those that the recipe gives")
    repeats: int = Field(default=3, ge=2, description="cross-validations of each trial, each with folds of its own")
    folds: int = Field(default=5, ge=2, description="folds of a cross-validation, by thread with its repeats")
    seed: int = Field(default=1, ge=0, description="seed of the drawn settings and of the folds")


class TuneSettings(StageSettings, TrackedSettings):
    """Search better parameters for a system's ranker by cross-validation on the training part; dev is not looked at."""

    examples = (
        "cqa tune --system best_a --budget 20 --lake build/lake --run-id mine",
        "cqa tune --system best_a --budget 40 --repeats 5 --lake build/lake --run-id mine --tuned tuned.yaml",
    )

    system: Annotated[SystemName, Field(description="system whose ranker is tuned; the run has to have its features")]
    search: SearchSettings = SearchSettings()
    tuned: Annotated[Location | None, NotHashed()] = Field(
        default=None, description="file for the best parameters, YAML as in a recipe; unset: they are printed alone"
    )
    evaluation: EvaluationSettings = EvaluationSettings()

    def writes(self) -> list[str]:
        """The parameters, and the log of MLflow; never the run."""
        return [*([self.tuned] if self.tuned else []), *self.tracking.writes()]
