"""Saving something to a model folder and reading it back, in one call; a pickle that acts where it is loaded."""

import os
from pathlib import Path
from typing import Any

from cqa_spark.lake.model_folder import ModelFolder, new_model_folder, open_model_folder
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranker import load_model
from cqa_spark.settings.sections import ObjectStorageSettings

NEARBY = ObjectStorageSettings()


def saved(thing: Any, path: Path) -> ModelFolder:
    """The folder of a model or a feature group that was saved."""
    with new_model_folder(str(path), "ranker", NEARBY) as folder:
        thing.save(folder)
    return open_model_folder(str(path), "ranker", NEARBY)


def reloaded_ranker(model: RankerModel, path: Path) -> RankerModel:
    return load_model(saved(model, path / "saved"))


def reloaded_group(group: Any, path: Path) -> Any:
    return type(group).load(saved(group, path / "saved"))


class MakesFolder:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)
