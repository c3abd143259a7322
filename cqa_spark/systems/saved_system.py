"""Trained systems in a model folder: ``system.json`` holds the recipe, ``ranker/`` the model."""

from __future__ import annotations

import platform
from importlib.metadata import version

from pydantic import BaseModel, ConfigDict

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.saved_model import load_model
from cqa_spark.systems.system import System

_RECIPE, _RANKER = "system.json", "ranker"
_LIBRARIES = ("pyspark", "xgboost-cpu", "numpy", "spark-nlp")


class SavedSystem(BaseModel):
    """What ``system.json`` holds.

    Attributes:
        system: the recipe at training time.
        features: feature columns that the model was trained on, in order.
        training_run: id of the run that trained it.
        libraries: versions that it was trained with.
    """

    model_config = ConfigDict(frozen=True)

    system: System
    features: tuple[str, ...]
    training_run: str
    libraries: dict[str, str]


def save_system(folder: NewModelFolder, system: System, model: RankerModel, training_run: str) -> None:
    """Write a trained system.

    Args:
        folder: gets the files.
        system: the recipe.
        model: fitted model of the recipe's ranker.
        training_run: id of the run that trained it.
    """
    model.save(folder.within(_RANKER))
    libraries = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
    saved = SavedSystem(
        system=system, features=model.description.features, training_run=training_run, libraries=libraries
    )
    folder.write_json(_RECIPE, saved)


def load_system(folder: ModelFolder) -> tuple[SavedSystem, RankerModel]:
    """Read what ``save_system`` wrote.

    Raises:
        ContractError: it cannot be used.
    """
    return load_recipe(folder), load_model(folder.within(_RANKER))


def load_recipe(folder: ModelFolder) -> SavedSystem:
    """Read what ``save_system`` wrote, but for the model.

    Raises:
        ContractError: it cannot be used.
    """
    return folder.read_json(_RECIPE, SavedSystem)
