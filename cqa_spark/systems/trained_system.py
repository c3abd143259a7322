"""Trained systems in one model folder: recipe, the ranker's model, the fitted feature groups, and a card."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from importlib.metadata import version

from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame

from cqa_spark.features.group import FeatureGroup, LearningGroup, learns_from_labels
from cqa_spark.features.learned_group import NumberedGroup
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder, new_model_folder, open_model_folder
from cqa_spark.lake.run import Run
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranker import load_model
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.systems.model_card import CARD, ModelCard
from cqa_spark.systems.system import System

_RECIPE, _RANKER = "system.json", "ranker"
_LIBRARIES = ("pyspark", "xgboost-cpu", "numpy")


class SavedSystem(BaseModel):
    """The content of ``system.json``: recipe, features in order, training run, and libraries at training time."""

    model_config = ConfigDict(frozen=True)

    system: System
    features: tuple[str, ...]
    training_run: str
    libraries: dict[str, str]


def save_system(folder: NewModelFolder, system: System, model: RankerModel, training_run: str) -> None:
    """Write a trained system: its recipe, the fitted model of its ranker, and the id of its training run."""
    model.save(folder.within(_RANKER))
    libraries = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
    saved = SavedSystem(
        system=system, features=model.description.features, training_run=training_run, libraries=libraries
    )
    folder.write_json(_RECIPE, saved)


def load_system(folder: ModelFolder) -> tuple[SavedSystem, RankerModel]:
    """Read a trained system.

    Raises:
        ContractError: the saved system cannot be used.
    """
    return load_recipe(folder), load_model(folder.within(_RANKER))


def load_recipe(folder: ModelFolder) -> SavedSystem:
    """Read the recipe of a trained system, without the model.

    Raises:
        ContractError: the saved system cannot be used.
    """
    return folder.read_json(_RECIPE, SavedSystem)


_GROUPS, _THREADS, _UPSTREAM = "groups", "threads", "upstream"
_THREAD_COLUMNS = {
    "site": "string",
    "task": "string",
    "query_id": "string",
    "fold_key": "string",
    "fingerprint": "bigint",
}


@dataclass(frozen=True)
class TrainedSystem:
    """A trained recipe.

    Attributes:
        system: the recipe.
        model: the fitted model of its ranker.
        groups: its fitted feature groups by name.
        training_run: id of the training run.
        threads: the training threads, as ``task_contract.leakage.training_threads`` returns them.
        upstream: systems by name whose scores are features of this one, trained on the same files.
        card: its training data and backtest; None for systems that have none.
    """

    system: System
    model: RankerModel
    groups: Mapping[str, FeatureGroup]
    training_run: str
    threads: DataFrame
    upstream: Mapping[str, TrainedSystem] = field(default_factory=dict)
    card: ModelCard | None = None

    def save(self, path: str, storage: ObjectStorageSettings) -> None:
        """Write a model folder; it cannot be loaded before its manifest is written."""
        with new_model_folder(path, "trained_system", storage) as folder:
            self._write(folder)

    @classmethod
    def load(cls, path: str, storage: ObjectStorageSettings) -> TrainedSystem:
        """Load a model folder; needs an active Spark session.

        Raises:
            InputError: the folder does not exist.
            OtherModelFormat: another release saved it, or it is incomplete.
            ContractError: the content is invalid.
        """
        return cls._read(open_model_folder(path, "trained_system", storage))

    def all_threads(self) -> DataFrame:
        """The training threads of this system and its upstream systems."""
        return reduce(DataFrame.unionByName, (system.threads for system in self.upstream.values()), self.threads)

    def learns_from_labels(self) -> bool:
        """Whether its scores depend on training labels; False for baselines."""
        groups = map(type, self.groups.values())
        return self.model.description.training is not None or any(map(learns_from_labels, groups))

    def _write(self, folder: NewModelFolder) -> None:
        _write_groups(self.groups, folder.within(_GROUPS))
        for name, trained in self.upstream.items():
            trained._write(folder.within(_UPSTREAM).within(name))
        if self.learns_from_labels():
            folder.write_table(_THREADS, self.threads)
        else:
            folder.write_no_rows(_THREADS, self.threads)
        if self.card is not None:
            folder.write_json(CARD, self.card)
        save_system(folder, self.system, self.model, self.training_run)

    @classmethod
    def _read(cls, folder: ModelFolder) -> TrainedSystem:
        saved, model = load_system(folder)
        groups = _read_groups(saved.system.feature_groups, folder.within(_GROUPS))
        upstream = {name: cls._read(folder.within(_UPSTREAM).within(name)) for name in saved.system.upstream}
        threads = folder.read_table(_THREADS)
        if dict(threads.dtypes) != _THREAD_COLUMNS:
            raise folder.refusal(_THREADS, f"expected the columns {', '.join(_THREAD_COLUMNS)}")
        card = folder.read_json(CARD, ModelCard) if folder.has(CARD) else None
        return cls(saved.system, model, groups, saved.training_run, threads, upstream, card)


MODELS = "model"
"""The kind of the artifacts of trained systems."""

UPSTREAM_MODELS = "upstream"
"""The kind of the artifacts of upstream systems."""


def model_artifact(system: str) -> str:
    """The name of a trained system's folder among a run's artifacts."""
    return f"{MODELS}/{system}"


def upstream_artifact(system: str) -> str:
    """The name of an upstream system's folder among a run's artifacts."""
    return f"{UPSTREAM_MODELS}/{system}"


def trained_system(run: Run, artifact: str) -> TrainedSystem:
    """A trained system of a run, from this process's cache or loaded from its folder.

    Args:
        run: the run with the artifact.
        artifact: a name from ``model_artifact`` or ``upstream_artifact``.
    """
    return run.load_artifact(artifact, lambda path: TrainedSystem.load(path, run.lake.storage))


def save_groups(groups: Mapping[str, FeatureGroup], path: str, storage: ObjectStorageSettings) -> None:
    """Write the fitted groups as a model folder."""
    with new_model_folder(path, "feature_groups", storage) as folder:
        _write_groups(groups, folder)


def load_groups(names: Iterable[str], path: str, storage: ObjectStorageSettings) -> dict[str, FeatureGroup]:
    """Load fitted groups; groups without a fitted state are instantiated."""
    return _read_groups(names, open_model_folder(path, "feature_groups", storage))


def unfitted_groups(names: Iterable[str]) -> dict[str, FeatureGroup]:
    """Groups without a fitted state."""
    return {name: group_class(name)() for name in names}


def _write_groups(groups: Mapping[str, FeatureGroup], folder: NewModelFolder) -> None:
    for name, group in groups.items():
        if isinstance(group, LearningGroup):
            group.save(folder.within(name))


def _read_groups(names: Iterable[str], folder: ModelFolder) -> dict[str, FeatureGroup]:
    groups = {}
    for name in names:
        group = group_class(name)
        groups[name] = group.load(folder.within(name)) if issubclass(group, LearningGroup) else group()
    return groups


def numbered_groups(
    features: Iterable[str], path: str | None, storage: ObjectStorageSettings
) -> dict[str, FeatureGroup]:
    """Load the numbered groups among those of some feature columns, without the system's model.

    Args:
        features: the columns, ``GROUP__COLUMN``.
        path: the model folder of the trained system; None if it is unknown, for no groups.
        storage: object storage settings.

    Raises:
        ContractError: the folder is invalid.
    """
    groups = {name.partition("__")[0] for name in features}.intersection(known_groups())
    numbered = sorted(name for name in groups if issubclass(group_class(name), NumberedGroup))
    if path is None or not numbered:
        return {}
    return _read_groups(numbered, open_model_folder(path, "trained_system", storage).within(_GROUPS))
