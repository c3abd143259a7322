"""Trained systems in a folder: ``system.json`` says what it is, ``ranker/`` holds the model."""

from __future__ import annotations

import platform
from importlib.metadata import version

from pydantic import BaseModel, ConfigDict

from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.saved_model import load_model, read_description
from cqa_spark.rankers.text_files import write_text
from cqa_spark.systems.system import System

_LIBRARIES = ("pyspark", "xgboost-cpu", "numpy", "spark-nlp")


class SavedSystem(BaseModel):
    """What ``system.json`` holds.

    Attributes:
        system: the recipe as it was when the model was trained.
        features: feature columns that the model was trained on, in order.
        training_run: id of the run that trained it.
        libraries: versions that it was trained with.
    """

    model_config = ConfigDict(frozen=True)

    system: System
    features: tuple[str, ...]
    training_run: str
    libraries: dict[str, str]


def save_system(path: str, system: System, model: RankerModel, training_run: str) -> None:
    """Write a trained system to a folder; ``system.json`` comes last, and so a folder that has it is complete.

    Args:
        path: local, or on any storage that Spark writes to.
        system: the recipe.
        model: what the recipe's ranker learned.
        training_run: id of the run that trained it.
    """
    model.save(f"{path}/ranker")
    libraries = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
    saved = SavedSystem(
        system=system, features=model.description.features, training_run=training_run, libraries=libraries
    )
    write_text(f"{path}/system.json", saved.model_dump_json(indent=2))


def load_system(path: str) -> tuple[SavedSystem, RankerModel]:
    """Read what ``save_system`` wrote; needs an active Spark session.

    Raises:
        InputError: there is no complete system in the folder.
    """
    return load_recipe(path), load_model(f"{path}/ranker")


def load_recipe(path: str) -> SavedSystem:
    """Read what ``save_system`` wrote, but for the model.

    Raises:
        InputError: there is no complete system in the folder.
    """
    return read_description(SavedSystem, f"{path}/system.json")
