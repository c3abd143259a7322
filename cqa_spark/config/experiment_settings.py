"""Settings of the experiments that a run may add: what each family of features is worth, and what more data is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from cqa_spark.config.sections import Section
from cqa_spark.config.value_types import SystemNames, one_or_many


class ExperimentSettings(Section):
    """What is tried beyond the systems themselves; each experiment trains its systems several times."""

    cross_validation: bool = Field(
        default=False, description="compare all systems of the run by cross-validation on the training part"
    )
    repeats: int = Field(default=3, ge=2, description="cross-validations of each system, each with folds of its own")
    folds: int = Field(default=5, ge=2, description="folds of each cross-validation, by thread with its repeats")
    systems: SystemNames = Field(
        default=(), description="systems of the run that the ablation and the learning curve are for"
    )
    ablation: bool = Field(default=False, description="train without each family of features, and on each family alone")
    learning_curve: bool = Field(default=False, description="train on a tenth, a quarter, … of the training threads")
    shares: tuple[float, ...] = Field(
        default=(0.1, 0.25, 0.5, 0.75), description="shares of the training threads that the curve starts with"
    )

    @property
    def any(self) -> bool:
        """Whether there is anything to do."""
        return self.cross_validation or self.ablation or self.learning_curve


def studied_not_run(given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Experiments that are switched on without a system, or with one that the run does not train."""
    experiments, systems = given.get("experiments"), given.get("systems")
    switches = ("ablation", "learning_curve")
    if not isinstance(experiments, Mapping) or not any(map(experiments.get, switches)):
        return
    studied = one_or_many(experiments.get("systems") or ())
    if not studied:
        yield "experiments.systems", "the experiments have no system", "give --experiments.systems NAME"
    missing = [name for name in studied if isinstance(systems, list | tuple) and name not in systems]
    if missing:
        yield "experiments.systems", f"{', '.join(missing)}: not among the systems", "add them to systems"
