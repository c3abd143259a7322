"""Repeated cross-validation on the training split, not on dev: the mean of a measure, its spread, and a comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from statistics import mean, stdev
from typing import Any, Self

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.experiment_settings import ExperimentSettings
from cqa_spark.evaluation.measure_totals import measure_totals
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.summary import summarise, with_test
from cqa_spark.experiments.evaluation_split import Part
from cqa_spark.experiments.experiment import RefittingExperiment
from cqa_spark.experiments.nested_folds import nested_folds
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.query_measures import by_measure, by_query
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.studies import CROSS_VALIDATIONS
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.rankings import rank_scored
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.spark.persistence import persist, persisted
from cqa_spark.systems.system import System

SEED = 1
"""Seed of the folds; all systems use the same folds."""


@dataclass(frozen=True)
class CrossValidate(RefittingExperiment):
    """Compare systems of one task by repeated cross-validation, each with the one that has the highest mean."""

    protocol: ExperimentSettings

    name = "cross-validation"
    table = CROSS_VALIDATIONS

    def entries(self, run: Run, systems: Sequence[System]) -> list[Entry]:
        """A row for each system."""
        measure, folds, repeats = self.settings.measures[0], self.protocol.folds, self.protocol.repeats
        with nested_folds(run, systems, self.features, folds=folds, repeats=repeats, seed=SEED) as parts_of:
            validated = {
                system.name: cross_validate(system.build(), parts_of(system), name=system.name, measure=measure)
                for system in systems
            }
        best = max(validated, key=lambda name: validated[name].mean)
        with persisted(mean_over_repeats(validated.values())) as (queries,):
            summary = summarise(queries, best, self.settings.resamples, self.settings.seed, self.settings.confidence)
        rows = [
            {
                **with_test(entry),
                "best": best,
                "repeats": repeats,
                "folds": folds,
                "spread": validated[entry["system"]].spread,
            }
            for entry in summary.tested
        ]
        return [{name: value for name, value in row.items() if name != "split"} for row in rows]


@dataclass(frozen=True)
class CrossValidated:
    """The cross-validated measure of a ranker.

    Attributes:
        values: the measure over all training queries, one per repeat, fractions.
        queries: result of ``by_measure`` and the column ``repeat``; persisted.
    """

    values: tuple[float, ...]
    queries: DataFrame

    @property
    def mean(self) -> float:
        """The mean over the repeats."""
        return mean(self.values)

    @property
    def spread(self) -> float:
        """The standard deviation over the repeats, which measures the variation due to the folds."""
        return stdev(self.values)

    def first_repeat(self) -> Self:
        """The result of the first repeat alone."""
        return replace(self, values=self.values[:1], queries=self.queries.where("repeat = 0"))


def cross_validate(
    ranker: Ranker[Any], repeats: Sequence[Sequence[Part]], *, name: str, measure: str
) -> CrossValidated:
    """Rank every training query by models of the other folds, repeatedly.

    Args:
        ranker: fitted once per fold and repeat.
        repeats: the folds of each cross-validation, as returned by ``nested_folds``; at least 2.
        name: name of the ranker in the measured queries.
        measure: display name of the measure.
    """
    return cross_validate_by_fold([[ranker] * len(parts) for parts in repeats], repeats, name=name, measure=measure)


def cross_validate_by_fold(
    rankers: Sequence[Sequence[Ranker[Any]]], repeats: Sequence[Sequence[Part]], *, name: str, measure: str
) -> CrossValidated:
    """As ``cross_validate``, by the ranker of each fold.

    Args:
        rankers: for each repeat, the ranker that is fitted without each fold.
        repeats: the folds of each cross-validation, as returned by ``nested_folds``.
        name: name of the rankers in the measured queries.
        measure: display name of the measure.
    """
    folds = zip(rankers, repeats, strict=True)
    results = [_repeat(of_folds, parts, name, measure, number) for number, (of_folds, parts) in enumerate(folds)]
    queries = results[0]
    for more in results[1:]:
        queries = queries.unionByName(more)
    values = measure_totals(queries, measure, ["repeat"])
    return CrossValidated(tuple(values[number,] for number in range(len(repeats))), queries)


def mean_over_repeats(rankers: Iterable[CrossValidated]) -> DataFrame:
    """Rows of ``QUERY_METRICS`` of several rankers; values and components are means over the repeats."""
    return by_query(reduce(DataFrame.unionByName, map(_means, rankers)))


def _means(results: CrossValidated) -> DataFrame:
    in_order = F.sort_array(F.collect_list(F.struct("repeat", "value", "components")))
    number = F.lit(len(results.values))
    key = [name for name in results.queries.columns if name not in ("repeat", "value", "components")]
    grouped = results.queries.groupBy(*key).agg(in_order.alias("repeats"))
    positions = F.sequence(F.lit(0), F.size(F.col("repeats.components")[0]) - 1)
    components = F.transform(
        positions, lambda position: _sum(F.transform("repeats.components", lambda vector: vector[position])) / number
    )
    return grouped.select(*key, (_sum(F.col("repeats.value")) / number).alias("value"), components.alias("components"))


def _repeat(rankers: Sequence[Ranker[Any]], parts: Sequence[Part], name: str, measure: str, number: int) -> DataFrame:
    models = run_concurrently(lambda fold: rankers[fold].fit(parts[fold].training), range(len(parts)))
    of_folds = [model.transform(part.evaluated) for model, part in zip(models, parts, strict=True)]
    scored = reduce(DataFrame.unionByName, of_folds)
    with persisted(scored.select(*EXAMPLES.schema.names, "score", "predicted")) as (scan,):
        rankings = rank_scored(scan, name, run_id="cross-validation")
        rows = persist(query_metrics(rankings, scan.select(*EXAMPLES.schema.names), [parse_measure(measure)]))
        rows.count()  # while the scores are persisted
    return by_measure(rows).withColumn("repeat", F.lit(number))


def _sum(values: Any) -> Any:
    return F.aggregate(values, F.lit(0.0), lambda total, value: total + value)
