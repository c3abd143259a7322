"""Judgments of test collections by their id in the catalogue of ir_datasets, if that package is installed."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module

from cqa_spark.errors import ConfigError

PREFIX = "irds:"
"""Prefix that distinguishes an id from a file name, such as ``irds:antique/test``."""


def catalogue_gains(dataset: str) -> dict[str, dict[str, int]]:
    """The gain of each candidate, by query; ir_datasets downloads the judgments if it has no copy of them.

    Args:
        dataset: id with the prefix.

    Raises:
        ConfigError: ir_datasets is not installed, has no such data set, or the data set has no judgments.
    """
    name = dataset.removeprefix(PREFIX)
    try:
        found = import_module("ir_datasets").load(name)
    except ImportError as error:
        raise ConfigError(
            f"{dataset}: ir_datasets is not installed", "pip install ir-datasets, or give a qrels file"
        ) from error
    except KeyError as error:
        raise ConfigError(f"ir_datasets has no data set {name}", "its catalogue is at ir-datasets.com") from error
    if not found.has_qrels():
        raise ConfigError(f"{dataset} has no judgments", f"name a subset with judgments, such as {name}/test")
    gains: dict[str, dict[str, int]] = defaultdict(dict)
    for row in found.qrels_iter():
        gains[row.query_id][row.doc_id] = row.relevance
    return dict(gains)
