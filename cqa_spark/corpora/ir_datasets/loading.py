"""Loads collections by their id in the catalogue of ir_datasets, if that package is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from cqa_spark.config.value_types import IR_DATASETS
from cqa_spark.errors import ConfigError, EnvironmentProblem


def load_collection(dataset: str) -> Any:
    """The collection, as ``ir_datasets.load`` returns it; its files are downloaded when its rows are read.

    Args:
        dataset: id, with or without the prefix.

    Raises:
        ConfigError: ir_datasets is not installed, or its catalogue does not list the id.
    """
    name = dataset.removeprefix(IR_DATASETS)
    try:
        return import_module("ir_datasets").load(name)
    except ImportError as error:
        raise ConfigError(
            f"{dataset}: ir_datasets is not installed", "pip install ir-datasets, or use a local file"
        ) from error
    except KeyError as error:
        raise ConfigError(f"ir_datasets has no data set {name}", "its catalogue is at ir-datasets.com") from error


def rows(dataset: str, iterate: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """The rows of a collection, one at a time.

    Args:
        dataset: id, for the error message.
        iterate: method of the collection, such as ``docs_iter``.

    Raises:
        EnvironmentProblem: a file cannot be downloaded or read.
    """
    try:
        yield from iterate()
    except OSError as error:
        raise EnvironmentProblem(
            f"{dataset} cannot be downloaded: {error}",
            "check the network, or put a copy of the file at the path that ir_datasets names above",
        ) from error
