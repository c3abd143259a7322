"""The settings of experiments: cross-validation, ablation, learning curve, seeds, and the search of ``tune``."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from cqa_spark.settings.sections import (
    SettingsSection,
)
from cqa_spark.settings.values import SystemNames, one_or_many


class ExperimentSettings(SettingsSection):
    """Optional experiments; each trains its systems several times."""

    cross_validation: bool = Field(
        default=False, description="compare all systems of the run by cross-validation on the training split"
    )
    repeats: int = Field(default=3, ge=2, description="repetitions of the cross-validation, each with different folds")
    folds: int = Field(default=5, ge=2, description="folds of each cross-validation, grouped by thread")
    systems: SystemNames = Field(default=(), description="systems for the ablation, the learning curve and the seeds")
    ablation: bool = Field(default=False, description="train without each feature family, and on each family alone")
    learning_curve: bool = Field(default=False, description="train on growing shares of the training threads")
    shares: tuple[Annotated[float, Field(gt=0, lt=1)], ...] = Field(
        default=(0.1, 0.25, 0.5, 0.75),
        min_length=1,
        description="shares of the training threads for the learning curve, besides 1",
    )
    seeds: int = Field(default=1, ge=1, description="seeds to train the systems with; 1: only the recipe's own")

    @property
    def any(self) -> bool:
        """Whether any experiment is enabled."""
        return self.cross_validation or self.ablation or self.learning_curve or self.seeds > 1


def studied_not_run(values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Enabled experiments without a system, or with a system that the run does not train."""
    experiments, systems = values.get("experiments"), values.get("systems")
    if not isinstance(experiments, Mapping):
        return
    if not any(map(experiments.get, ("ablation", "learning_curve"))) and experiments.get("seeds", 1) == 1:
        return
    studied = one_or_many(experiments.get("systems") or ())
    if not studied:
        yield (
            "experiments.systems",
            "required by the ablation, the learning curve and the seeds",
            "give --experiments.systems NAME",
        )
    missing = [name for name in studied if isinstance(systems, list | tuple) and name not in systems]
    if missing:
        yield "experiments.systems", f"{', '.join(missing)}: not in systems", "add them to systems"


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
