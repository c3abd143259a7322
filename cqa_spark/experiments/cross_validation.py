"""Repeated cross-validation on the training split, not on dev: the mean of a measure, its spread, and a comparison."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from statistics import mean, stdev
from typing import Any, Self

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.evaluate import measure_totals
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.summary import summarise, with_test
from cqa_spark.experiments.experiment import Part, RefittingExperiment
from cqa_spark.features.feature_table import KEY, assemble, read_values
from cqa_spark.features.group import PassKey, learns_from_labels
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.features.registry import group_class
from cqa_spark.features.training_data import fold_of
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.query_measures import by_measure, by_query
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING
from cqa_spark.lake.schemas.studies import CROSS_VALIDATIONS
from cqa_spark.rankers.candidates import with_words
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.rankings import rank_scored
from cqa_spark.settings.experiments import ExperimentSettings
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.spark.frames import persist, persisted, run_concurrently
from cqa_spark.steps.feature_inputs import feature_inputs, task_examples
from cqa_spark.systems.recipes import groups_of, rank_by_words, task_of
from cqa_spark.systems.system import System

# The folds of a cross-validation, with features that do not depend on labels of the held-out fold.
#
# Stored features of training examples come from cross-fitted models, which were trained on labels of the fold that a
# cross-validation holds out. Groups that learn from labels are therefore refitted on the training part of each fold
# (nested cross-validation: Varma and Simon 2006, Bias in error estimation when using cross-validation for model
# selection, BMC Bioinformatics 7).

PartsOf = Callable[[System], list[tuple[Part, ...]]]
"""Returns a system's folds: for each repeat, the training and evaluation parts."""

_SEEDS_APART = 1000
"""Upper bound of repeats, so that two seeds never share a repeat's folds."""


@contextmanager
def nested_folds(
    run: Run,
    systems: Sequence[System],
    features: FeatureSettings,
    *,
    folds: int,
    repeats: int,
    seed: int,
    among: Column | None = None,
) -> Iterator[PartsOf]:
    """Refit and compute the groups that learn from labels once per fold, for all systems.

    Args:
        run: a run with computed feature groups.
        systems: of one task.
        features: folds of the cross-fitting within each fold, and the cut of as-of groups.
        folds: number of folds, by thread with its repeats.
        repeats: number of cross-validations, each with different folds.
        seed: seed of the folds.
        among: condition on training examples; the folds divide those that meet it, and no other is read. None for all.
    """
    groups = groups_of(systems)
    training = task_examples(run, task_of(systems)).where(IN_TRAINING)
    if among is not None:
        training = training.where(among)
    values = read_values(run, groups)
    learns = any(learns_from_labels(group_class(name)) for name in groups)
    with feature_inputs(run, training, features) as inputs:
        examples = inputs.examples
        if rank_by_words(systems):
            examples = with_words(examples, inputs.documents, inputs.texts)
        stored = None if learns else persist(assemble(examples, groups, values))

        def of_fold(here: int, of_repeat: int) -> Part:
            is_held_out = fold_number(folds, seed, of_repeat) == here
            if stored is not None:
                return Part(stored.where(~is_held_out), stored.where(is_held_out))
            split = F.when(is_held_out, "dev").otherwise("train")
            outer: FeatureInputs = replace(inputs, examples=inputs.examples.withColumn("split", split))
            tables = values | refitted(groups, outer, values, features.folds)
            frame = persist(assemble(examples, groups, tables))
            return Part(frame.where(~is_held_out), frame.where(is_held_out))

        parts = [[of_fold(here, of_repeat) for here in range(folds)] for of_repeat in range(repeats)]

        def parts_of(system: System) -> list[tuple[Part, ...]]:
            wanted = (*examples.columns, *system.features())
            return [
                tuple(Part(part.training.select(*wanted), part.evaluated.select(*wanted)) for part in of_repeat)
                for of_repeat in parts
            ]

        yield parts_of


def fold_number(folds: int, seed: int, repeat: int = 0) -> Column:
    """The number of the fold of an example in a repeat.

    Args:
        folds: number of folds.
        seed: seed of the folds of all repeats.
        repeat: number of the repeat.
    """
    return fold_of(folds, _SEEDS_APART * seed + repeat)


def refitted(
    groups: Iterable[str], inputs: FeatureInputs, stored: Mapping[PassKey, DataFrame], folds: int
) -> dict[PassKey, DataFrame]:
    """The values of groups, with groups that learn from labels refitted on the given examples only.

    Args:
        groups: names; groups that do not learn from labels are unchanged.
        inputs: groups are fitted on the training split; values are computed for all examples.
        stored: by pass, the values of all groups.
        folds: folds of the cross-fitting.
    """
    learning = [group for group in map(group_class, groups) if learns_from_labels(group)]
    if not learning:
        return {}
    values = compute_pass(fit_groups(learning, inputs, folds=folds), inputs, folds)
    others = stored[PassKey.QUERY].drop(*[group.name for group in learning])
    return {PassKey.QUERY: others.join(values, on=list(KEY))}


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
