"""Finds rankers by name; a new ranker is one more line in ``RANKERS``.

The registry contains import paths, resolved at first use, because composite rankers look up their members here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from cqa_spark.config.suggestions import known_names
from cqa_spark.errors import ConfigError
from cqa_spark.rankers.ranker import Ranker

RANKERS = {
    "column": "cqa_spark.rankers.column:ColumnRanker",
    "random_order": "cqa_spark.rankers.random_order:RandomOrderRanker",
    "logistic_regression": "cqa_spark.rankers.logistic_regression:LogisticRegressionRanker",
    "ridge_regression": "cqa_spark.rankers.ridge_regression:RidgeRegressionRanker",
    "linear_svm": "cqa_spark.rankers.linear_svm:LinearSvmRanker",
    "multilayer_perceptron": "cqa_spark.rankers.multilayer_perceptron:MultilayerPerceptronRanker",
    "feed_forward": "cqa_spark.rankers.neural.feed_forward:FeedForwardRanker",
    "decomposable_attention": "cqa_spark.rankers.neural.decomposable_attention:DecomposableAttentionRanker",
    "boosted_trees": "cqa_spark.rankers.boosted_trees:BoostedTreesRanker",
    "average": "cqa_spark.rankers.average:AverageRanker",
    "mean_similarity": "cqa_spark.rankers.mean_similarity:MeanSimilarityRanker",
    "stacking": "cqa_spark.rankers.stacking:StackingRanker",
    "calibrated": "cqa_spark.rankers.calibrated:CalibratedRanker",
    "within_query": "cqa_spark.rankers.within_query:WithinQueryRanker",
}
"""Module and class of each ranker, by name."""


def ranker_class(name: str) -> type[Ranker[Any]]:
    """The ranker of this name.

    Raises:
        ConfigError: unknown ranker; the error lists close matches and all known names.
    """
    if name not in RANKERS:
        raise ConfigError(f"unknown ranker {name}", known_names(name, RANKERS, "rankers"))
    module, _, ranker = RANKERS[name].partition(":")
    found: type[Ranker[Any]] = getattr(import_module(module), ranker)
    return found


def build_ranker(name: str, parameters: Mapping[str, Any]) -> Ranker[Any]:
    """Build an unfitted ranker.

    Raises:
        ConfigError: unknown ranker, unknown parameter, or invalid value; all mistakes in the parameters are listed.
    """
    found = ranker_class(name)
    try:
        return found(found.parameters_type(**parameters))
    except ValidationError as error:
        problems, remedies = zip(*_mistakes(found, error), strict=True)
        raise ConfigError(f"ranker {name}: {'; '.join(problems)}", "; ".join(dict.fromkeys(remedies))) from error


def _mistakes(found: type[Ranker[Any]], error: ValidationError) -> Iterator[tuple[str, str]]:
    declared = found.parameters_type.model_fields
    for mistake in error.errors():
        parameter = str(mistake["loc"][0])
        if mistake["type"] == "extra_forbidden":
            yield f"unknown parameter {parameter}", known_names(parameter, declared, "parameters")
        elif mistake["type"] == "missing":
            yield f"parameter {parameter} is missing", f"{parameter}: {declared[parameter].description}"
        else:
            given = mistake["input"]
            yield f"{parameter} is {given!r}: {mistake['msg']}", f"{parameter}: {declared[parameter].description}"
