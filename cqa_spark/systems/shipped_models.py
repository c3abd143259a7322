"""Trained systems of the package, in ``conf/trained/NAME/``: the first night on a new site needs no training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.errors import ContractError
from cqa_spark.settings.conf_files import conf_file
from cqa_spark.settings.sections import ObjectStorageSettings

if TYPE_CHECKING:
    from cqa_spark.systems.model_card import ModelCard


def shipped_model(system: str) -> str | None:
    """The folder of a shipped model, by the name of its system; None if the package ships none."""
    manifest = conf_file(f"trained/{system}/manifest.json")  # of every model folder
    return str(manifest.parent) if manifest.is_file() else None


def shipped_card(system: str) -> ModelCard | None:
    """The card of a shipped model, checked; None if the package ships none of this system.

    Raises:
        ContractError: the feature groups of this package compute other values than those that the model learned from.
    """
    path = shipped_model(system)
    if path is None:
        return None
    # Slow imports of PyArrow and Spark, which lists of systems do without.
    from cqa_spark.features.probe import values_hash
    from cqa_spark.lake.model_folder import open_model_folder
    from cqa_spark.systems.model_card import CARD, ModelCard
    from cqa_spark.systems.trained_system import load_recipe

    folder = open_model_folder(path, "trained_system", ObjectStorageSettings())
    card = folder.read_json(CARD, ModelCard)
    if card.features != values_hash(load_recipe(folder).system.feature_groups):
        raise ContractError(
            f"the model in {path} learned from other values than those that its feature groups compute in this package",
            f"train it again: cqa train nights --system {system} --input DUMPS --model {path}",
        )
    return card
