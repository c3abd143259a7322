"""A trained system as a model of MLflow's flavour ``python_function``, which ``mlflow models serve`` runs.

MLflow calls ``_load_pyfunc`` with the folder of the trained system. Spark starts with the first prediction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cqa_spark as cqa

if TYPE_CHECKING:
    import pandas as pd
    from mlflow.models import ModelSignature

REQUIRED = {"query_id": "string", "query": "string", "candidate_id": "string", "candidate": "string"}
OPTIONAL = {"title": "string", "asker_id": "string", "author_id": "string", "asked_at": "datetime",
            "answered_at": "datetime", "initial_rank": "long"}  # fmt: skip
RESULTS = {"query_id": "string", "candidate_id": "string", "score": "double", "rank": "long", "predicted": "boolean"}


class ServedModel:
    """A trained system that ranks the pairs of a frame.

    Args:
        folder: its model folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def predict(self, pairs: pd.DataFrame, params: dict[str, Any] | None = None) -> pd.DataFrame:
        """Rank the candidates of each query.

        Args:
            pairs: a row per query and candidate, with the columns of the signature; see ``cqa_spark.rank``.
            params: none are known.

        Returns:
            The ids of each pair, with ``score``, ``rank`` from 1, and ``predicted``.
        """
        ranked = cqa.rank(pairs.dropna(axis="columns", how="all"), model=self._folder)
        return ranked[list(RESULTS)]


def _load_pyfunc(path: str) -> ServedModel:
    return ServedModel(path)


def signature() -> ModelSignature:
    """The columns of pairs and of their ranking, as MLflow describes them."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, Schema, TensorSpec

    inputs: list[ColSpec | TensorSpec] = [ColSpec(kind, name) for name, kind in REQUIRED.items()]
    inputs += [ColSpec(kind, name, required=False) for name, kind in OPTIONAL.items()]
    return ModelSignature(Schema(inputs), Schema([ColSpec(kind, name) for name, kind in RESULTS.items()]))
