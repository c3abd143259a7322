"""The settings of ``tune``, which tunes the parameters of a system's ranker."""

from typing import Annotated

from pydantic import Field

from cqa_spark.config.job_settings import StageSettings
from cqa_spark.config.sections import EvaluationSettings, FeatureSettings, SettingsSection
from cqa_spark.config.tracking_settings import TrackedSettings
from cqa_spark.config.value_types import NotHashed, OutputFile, SystemName


class SearchSettings(SettingsSection):
    """Random search and cross-validation of the trials."""

    flag_prefix = ""

    budget: int = Field(default=20, ge=1, description="random parameter settings to try, besides those of the recipe")
    repeats: int = Field(
        default=3, ge=2, description="repetitions of the cross-validation of a trial, each with different folds"
    )
    folds: int = Field(default=5, ge=2, description="folds of a cross-validation, grouped by thread")
    seed: int = Field(default=1, ge=0, description="seed of the parameter settings and folds")
    nested: bool = Field(
        default=False,
        description="also evaluate the choice: each fold is ranked by the trial that is best on the other folds; "
        "takes as long again for each fold",
    )


class TuneSettings(StageSettings, TrackedSettings):
    """Tune the parameters of a system's ranker by cross-validation on the training split; dev is not used."""

    examples = (
        "cqa tune --system best_a --budget 20 --lake build/lake --run-id mine",
        "cqa tune --system best_a --budget 40 --repeats 5 --lake build/lake --run-id mine --tuned tuned.yaml",
        "cqa tune --system lexical_b --budget 3 --nested --lake build/lake --run-id mine",
    )

    is_always_tracked = True

    system: Annotated[SystemName, Field(description="system to tune; the run must contain its features")]
    search: SearchSettings = SearchSettings()
    tuned: Annotated[OutputFile | None, NotHashed()] = Field(
        default=None, description="output file for the best parameters, as YAML for a recipe; default: only print them"
    )
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    def writes(self) -> list[str]:
        """The parameters and the MLflow experiment; not the run."""
        return [*([self.tuned] if self.tuned else []), *self.tracking.writes()]
