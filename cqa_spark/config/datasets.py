"""Data sets: which files train, which are ranked, and where their gold is; ``conf/datasets/NAME.yaml`` holds them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from cqa_spark.config.sections import Section
from cqa_spark.errors import ConfigError


class DataPart(Section):
    """One part of a data set that systems are measured on.

    Attributes:
        input: file whose queries are ranked.
        gold: official file of judgments, by task.
    """

    input: str
    gold: Mapping[str, str] = Field(default_factory=dict)


class DataSet(Section):
    """A data set; all paths start at the folder that the data sets lie in.

    Attributes:
        name: the file's name without ``.yaml``.
        about: one sentence for people.
        site: community that the files come from.
        corpus: source format of the files.
        train: files to learn from.
        leave_out: training threads that a part holds too, under another id.
        parts: by name, which is a split: dev, test.
    """

    name: str
    about: str
    site: str
    corpus: str
    train: tuple[str, ...] = Field(min_length=1)
    leave_out: tuple[str, ...] = ()
    parts: Mapping[str, DataPart]


def read_data_set(conf_dir: Path, name: str) -> DataSet:
    """Read and check one data set.

    Raises:
        ConfigError: there is no such data set, or its file has mistakes.
    """
    folder = conf_dir / "datasets"
    path = folder / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(each.stem for each in folder.glob("*.yaml")))
        raise ConfigError(f"unknown data set {name}: there is no {path}", f"known data sets: {known or 'none'}")
    try:
        found = DataSet.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"{path} cannot be used: {error}", "mend the file; nothing was read or written") from error
    if found.name != name:
        raise ConfigError(f"{path}: name is {found.name}", "name the data set like its file")
    return found
