"""rankings + labels → metrics of queries and systems, and those of sets of sentence pairs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.text_pairs.layouts import set_of_pair
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.set_means import SetScore, score_sets
from cqa_spark.evaluation.statistics.summary import summarise
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, SET_METRICS, by_measure
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.retrieval import UNRETRIEVED
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.sections import EvaluationSettings
from cqa_spark.steps.changed_sites import of_sites, site_update

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Evaluate(Step):
    """Evaluate every system, and test each against the baseline and the best against the second best.

    Attributes:
        settings: measures, resamples, confidence and seed.
        baseline: system to compare the others with.
        at_random: systems whose measures are expectations over all orders.
        cross_validated: whether every training query was ranked, by models of the other folds.
        second_baseline: a further system to compare the others with; None for no such comparisons.
        last: the published run, whose measures are kept of sites that have not changed; None to compute all.
    """

    settings: EvaluationSettings
    baseline: str
    at_random: Collection[str] = ()
    cross_validated: bool = False
    second_baseline: str | None = None
    last: Snapshot | None = None

    name = "evaluate"

    def reads(self) -> tuple[Product, ...]:
        """Rankings and the labels of examples."""
        return RANKINGS, EXAMPLES

    def reads_if_present(self) -> tuple[Product, ...]:
        """Relevant pairs that retrieval missed."""
        return (UNRETRIEVED,)

    def writes(self) -> tuple[Product, ...]:
        """Measures of queries and of systems, and comparisons."""
        return QUERY_METRICS, METRICS, COMPARISONS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write all three."""
        rankings, settings = run.read(RANKINGS), self.settings
        counts.rows_in = run.rows(RANKINGS)
        measures = [parse_measure(name) for name in settings.measures]
        examples = run.read(EXAMPLES)
        if run.has(UNRETRIEVED):
            examples = examples.unionByName(run.read(UNRETRIEVED))
        judged = (
            examples.where(IN_TRAINING).withColumn("split", F.lit(CROSS_VALIDATED))
            if self.cross_validated
            else examples.where(OUTSIDE_TRAINING)
        )
        used, inputs = {"evaluation": settings}, (RANKINGS, EXAMPLES, UNRETRIEVED)
        update = site_update(
            run, self.last, QUERY_METRICS, inputs, settings=used, versions=[*sorted(self.at_random), self.baseline]
        )
        if not update.keep():
            ranked, judged = (of_sites(frame, update.sites) for frame in (rankings, judged))
            update.write(query_metrics(ranked, judged, measures, at_random=self.at_random))
        summary = summarise(
            run.read(QUERY_METRICS),
            self.baseline,
            settings.resamples,
            settings.seed,
            settings.confidence,
            best_by=str(measures[0]),
            second_baseline=self.second_baseline,
        )
        counts.rows_out = run.write_entries(METRICS, summary.metrics)
        run.write_entries(COMPARISONS, summary.comparisons)


_SPLIT = ("task", "split")
_SET_SCORES = T.StructType([column for column in SET_METRICS.columns if column.name in (*_SPLIT, *SetScore._fields)])


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
        settings, baseline = self.settings, self.baseline
        measure = settings.measures[0]
        metrics = by_measure(run.read(QUERY_METRICS)).where(F.col("measure") == measure)
        pairs = metrics.select(*_SPLIT, "system", "query_id", "components", set_of_pair(F.col("query_id")).alias("set"))

        def score(split: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
            import pandas as pd

            scores = score_sets(
                parse_measure(measure), components_by_set(rows), baseline,
                resamples=settings.resamples, confidence=settings.confidence, seed=settings.seed,
            )  # fmt: skip
            return pd.DataFrame(scores).assign(**dict(zip(_SPLIT, split, strict=True)))[_SET_SCORES.names]

        shared = {
            "measure": measure, "confidence": settings.confidence,
            "resamples": settings.resamples, "seed": settings.seed, "baseline": baseline,
        }  # fmt: skip
        rows = pairs.groupBy(*_SPLIT).applyInPandas(score, _SET_SCORES).collect()
        counts.rows_out = run.write_entries(SET_METRICS, [{**row.asDict(), **shared} for row in rows])


def components_by_set(pairs: pd.DataFrame) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Arrange the components of the measure of pairs as ``score_sets`` takes them.

    Args:
        pairs: of one split: set, system, query_id, components.

    Returns:
        By set and system, the components of the pairs by their ids, shape (pairs, components).
    """
    import numpy as np

    sets: dict[str, dict[str, NDArray[np.float64]]] = {}
    for (name, system), of_set in pairs.sort_values("query_id").groupby(["set", "system"]):
        sets.setdefault(str(name), {})[str(system)] = np.stack(of_set["components"].tolist())
    return sets
