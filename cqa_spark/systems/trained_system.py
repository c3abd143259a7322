"""A trained system in one folder: the recipe, the ranker's model, and what its feature groups learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cqa_spark.features.group import FeatureGroup, FittedFeatureGroup
from cqa_spark.features.registry import group_class
from cqa_spark.rankers.ranker import RankerModel
from cqa_spark.systems.saved_system import load_system, save_system
from cqa_spark.systems.system import System


@dataclass(frozen=True)
class TrainedSystem:
    """A recipe that has learned.

    Attributes:
        system: the recipe.
        model: its ranker, fitted.
        groups: its feature groups by name, fitted on the same training part.
        training_run: id of the run that trained it.
        upstream: the systems by name whose scores are features of this one, trained on the same files.
    """

    system: System
    model: RankerModel
    groups: Mapping[str, FeatureGroup]
    training_run: str
    upstream: Mapping[str, TrainedSystem] = field(default_factory=dict)

    def save(self, path: str) -> None:
        """Write the folder; a folder without ``system.json`` is not complete and will not load."""
        save_groups(self.groups, f"{path}/groups")
        for name, trained in self.upstream.items():
            trained.save(f"{path}/upstream/{name}")
        save_system(path, self.system, self.model, self.training_run)

    @classmethod
    def load(cls, path: str) -> TrainedSystem:
        """Read what ``save`` wrote; needs an active Spark session.

        Raises:
            InputError: there is no complete system in the folder.
        """
        saved, model = load_system(path)
        groups = load_groups(saved.system.feature_groups, f"{path}/groups")
        upstream = {name: cls.load(f"{path}/upstream/{name}") for name in saved.system.upstream}
        return cls(saved.system, model, groups, saved.training_run, upstream)


def model_artifact(system: str) -> str:
    """What a run calls the folder of a trained system among its artifacts."""
    return f"model/{system}"


def upstream_artifact(system: str) -> str:
    """What a run calls the folder of an upstream system among its artifacts."""
    return f"upstream/{system}"


def save_groups(groups: Mapping[str, FeatureGroup], path: str) -> None:
    """Write what the groups learned, one new folder per fitted group."""
    for name, group in groups.items():
        if isinstance(group, FittedFeatureGroup):
            group.save(f"{path}/{name}")


def load_groups(names: Iterable[str], path: str) -> dict[str, FeatureGroup]:
    """Read what ``save_groups`` wrote; groups that learn nothing are simply made."""
    return {name: _load(group_class(name), f"{path}/{name}") for name in names}


def _load(found: type[FeatureGroup], path: str) -> FeatureGroup:
    return found.load(path) if issubclass(found, FittedFeatureGroup) else found()
