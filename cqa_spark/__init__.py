"""Distributed answer ranking for question-and-answer communities.

The names in ``__all__`` are the interface for Python, and are imported when they are first used:

>>> import cqa_spark as cqa
>>> job = cqa.job("run", config="conf/demo.yaml", lake="build/lake")  # job.run() writes a run to the lake
>>> run = cqa.open_lake("build/lake").run()
>>> run.metrics().to_pandas()[["system", "measure", "value"]].values.tolist()
[['best_a', 'MAP@10', 0.5]]
>>> cqa.evaluate("dev.qrels", "best_a.run", ["MRR@10"])
{'MRR@10': 0.75}
"""

import importlib
import sys
from typing import Any

__version__ = "0.1.0"
__all__ = [
    "FeatureEstimator",
    "FeatureModel",
    "Job",
    "Lake",
    "RankerEstimator",
    "RankingEvaluator",
    "RankingModel",
    "Rows",
    "Run",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_queries",
    "job",
    "open_lake",
    "rank",
]

_PLACES = {
    "FeatureEstimator": "cqa_spark.api.estimators",
    "FeatureModel": "cqa_spark.api.estimators",
    "Job": "cqa_spark.api.job",
    "Lake": "cqa_spark.api.lake",
    "RankerEstimator": "cqa_spark.api.estimators",
    "RankingEvaluator": "cqa_spark.api.estimators",
    "RankingModel": "cqa_spark.api.estimators",
    "Rows": "cqa_spark.api.lake",
    "Run": "cqa_spark.api.lake",
    "compare": "cqa_spark.api.measuring",
    "evaluate": "cqa_spark.api.measuring",
    "evaluate_queries": "cqa_spark.api.measuring",
    "job": "cqa_spark.api.job",
    "open_lake": "cqa_spark.api.lake",
    "rank": "cqa_spark.api.ranking",
}

# Spark's Python workers import this package first.
if "pyspark.worker" in sys.modules and importlib.import_module("cqa_spark.spark").has_shortcuts():
    importlib.import_module("cqa_spark.spark.task_start").shorten_task_starts()


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_PLACES[name]), name)
    except ModuleNotFoundError as error:
        from cqa_spark.process.failures import absent_library

        raise absent_library(str(error)) or error from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
