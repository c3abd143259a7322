"""Trained systems in a folder: ``system.json`` says what it is, ``ranker/`` holds the model."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from cqa_spark.errors import InputError
from cqa_spark.rankers.model import DESCRIPTION, LEARNED, ModelDescription, RankerModel
from cqa_spark.rankers.registry import ranker_class
from cqa_spark.rankers.system import System
from cqa_spark.rankers.text_files import read_text, write_text

M = TypeVar("M", bound=BaseModel)

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
    return _parsed(SavedSystem, f"{path}/system.json")


def load_model(path: str) -> RankerModel:
    """Read what ``RankerModel.save`` wrote; needs an active Spark session.

    Raises:
        InputError: there is no model in the folder.
        ConfigError: the model's ranker is not known.
    """
    description = _parsed(ModelDescription, f"{path}/{DESCRIPTION}")
    return ranker_class(description.ranker).model_type.load_learned(description, f"{path}/{LEARNED}")


def _parsed(kind: type[M], path: str) -> M:
    try:
        return kind.model_validate_json(read_text(path))
    except ValidationError as error:
        problem = f"{path} does not describe a saved model: {error}"
        raise InputError(problem, "train and save the system again") from error
