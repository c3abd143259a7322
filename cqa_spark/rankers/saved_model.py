"""Models in a folder: what a ranker learned, whichever ranker it was."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from cqa_spark.errors import InputError
from cqa_spark.rankers.model import DESCRIPTION, LEARNED, ModelDescription, RankerModel
from cqa_spark.rankers.registry import ranker_class
from cqa_spark.rankers.text_files import read_text

Description = TypeVar("Description", bound=BaseModel)


def load_model(path: str) -> RankerModel:
    """Read what ``RankerModel.save`` wrote; needs an active Spark session.

    Raises:
        InputError: there is no model in the folder.
        ConfigError: the model's ranker is not known.
    """
    description = read_description(ModelDescription, f"{path}/{DESCRIPTION}")
    return ranker_class(description.ranker).model_type.load_learned(description, f"{path}/{LEARNED}")


def read_description(kind: type[Description], path: str) -> Description:
    """Read a file that says what was saved.

    Raises:
        InputError: there is none, or it says something else.
    """
    try:
        return kind.model_validate_json(read_text(path))
    except ValidationError as error:
        problem = f"{path} does not describe a saved model: {error}"
        raise InputError(problem, "train and save the system again") from error
