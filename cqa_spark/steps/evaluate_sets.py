"""metrics of queries → the measure on each set of pairs, and its means over the sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.text_pairs.layouts import set_of_pair
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.set_means import SetScore, score_sets
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.metrics import QUERY_METRICS, SET_METRICS, by_measure
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.sections import EvaluationSettings

if TYPE_CHECKING:
    import pandas as pd

_KEYS = ("task", "split")


@dataclass(frozen=True)
class EvaluateSets(Step):
    """Evaluate every system on each set of sentence pairs, with the first measure.

    Attributes:
        settings: measures, resamples, confidence and seed.
        baseline: system to compare the others with.
    """

    settings: EvaluationSettings
    baseline: str

    name = "sets"

    def reads(self) -> tuple[Product, ...]:
        """The measures of queries, and the rankings."""
        return QUERY_METRICS, RANKINGS

    def writes(self) -> tuple[Product, ...]:
        """The measures of sets."""
        return (SET_METRICS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Collect the pairs of a split on one executor, in order, and evaluate them."""
        counts.rows_in = run.rows(RANKINGS)
        measured = by_measure(run.read(QUERY_METRICS)).where(F.col("measure") == self.settings.measures[0])
        pairs = measured.select(*_KEYS, "system", "query_id", "components", set_of_pair(F.col("query_id")).alias("set"))
        rows = pairs.groupBy(*_KEYS).applyInPandas(_scored(self.settings, self.baseline), _SCORES)
        shared = {
            "measure": self.settings.measures[0], "confidence": self.settings.confidence,
            "resamples": self.settings.resamples, "seed": self.settings.seed, "baseline": self.baseline,
        }  # fmt: skip
        counts.rows_out = run.write_entries(SET_METRICS, [{**row.asDict(), **shared} for row in rows.collect()])


_SCORES = T.StructType([column for column in SET_METRICS.columns if column.name in (*_KEYS, *SetScore._fields)])


def _scored(settings: EvaluationSettings, baseline: str) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def scored(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        sets: dict[str, dict[str, np.ndarray]] = {}
        for (name, system), pairs in rows.sort_values("query_id").groupby(["set", "system"]):
            sets.setdefault(str(name), {})[str(system)] = np.stack(pairs["components"].tolist())
        scores = score_sets(
            parse_measure(settings.measures[0]), sets, baseline,
            resamples=settings.resamples, confidence=settings.confidence, seed=settings.seed,
        )  # fmt: skip
        return pd.DataFrame(scores).assign(**dict(zip(_KEYS, key, strict=True)))[_SCORES.names]

    return scored
