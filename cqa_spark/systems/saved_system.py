"""Reads and writes trained systems in model folders: the recipe in ``system.json``, the model in ``ranker/``."""

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
