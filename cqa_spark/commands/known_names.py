"""Functions that refuse names of systems, measures, tasks, … in settings that are unknown or do not fit together."""

from collections.abc import Sequence
from functools import partial
from importlib import import_module

from cqa_spark.settings.values import Checks


def checks() -> Checks:
    """The functions by kind of name; what they look names up in is imported when they are called."""
    return {
        "task": partial(_look_up, "cqa_spark.task_contract.contract", "task"),
        "corpus": partial(_look_up, "cqa_spark.corpora.source", "require_file_format"),
        "source format": partial(_look_up, "cqa_spark.corpora.source", "require_format"),
        "data set": partial(_look_up, "cqa_spark.settings.datasets", "read_data_set"),
        "package of data": partial(_look_up, "cqa_spark.settings.research_data", "read_package"),
        "embedding model": _check_embedding_model,
        "feature group": partial(_look_up, "cqa_spark.features.registry", "group_class"),
        "measure": partial(_look_up, "cqa_spark.evaluation.measures", "parse_measure"),
        "object store": partial(_look_up, "cqa_spark.object_store.store", "require_storage"),
        "system": _check_system,
        "systems of a run": _check_systems,
    }


def _look_up(module: str, function: str, name: str) -> None:
    getattr(import_module(module), function)(name)


def _check_embedding_model(name: str) -> None:
    from cqa_spark.text.encoders.model import EmbeddingModel

    EmbeddingModel.read(name)


def _check_system(name: str) -> None:
    from cqa_spark.systems.system import read_system

    read_system(name)


def _check_systems(names: Sequence[str]) -> None:
    """Refuse systems of several tasks, and systems whose upstream systems do not fit."""
    from cqa_spark.steps.upstream import upstream_of
    from cqa_spark.systems.recipes import read_systems, task_of

    if systems := read_systems(names):
        task_of(systems)
        upstream_of(systems)
