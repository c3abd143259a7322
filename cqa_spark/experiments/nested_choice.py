"""The score of a choice of parameters, by a cross-validation whose evaluated folds no choice has seen."""

from collections.abc import Sequence

from cqa_spark.config.experiment_settings import SearchSettings
from cqa_spark.config.sections import FeatureSettings
from cqa_spark.experiments.cross_validation import CrossValidated, cross_validate_by_fold
from cqa_spark.experiments.evaluation_split import Part
from cqa_spark.experiments.nested_folds import fold_number, nested_folds
from cqa_spark.experiments.trials import Trial, chosen
from cqa_spark.lake.run import Run
from cqa_spark.spark.persistence import persistence_scope
from cqa_spark.systems.system import System

CHOICE = "choice"
"""Name of the chosen rankers in the measured queries."""


def cross_validate_choice(
    run: Run,
    system: System,
    trials: Sequence[Trial],
    outer: Sequence[Part],
    *,
    search: SearchSettings,
    features: FeatureSettings,
    measure: str,
) -> CrossValidated:
    """Rank the queries of each fold by the trial that is best by cross-validation within the other folds.

    The mean of the best trial is optimistic, because it is the best of many on these queries; this one is not.

    Args:
        run: a run with computed feature groups.
        system: the system of the trials.
        trials: what is chosen from.
        outer: the folds of the first repeat of the search.
        search: folds, repeats and seed of the search; the folds within the other folds have the next seed.
        features: folds of the cross-fitting within each fold, and the cut of as-of groups.
        measure: display name of the measure.

    Source:
        Varma and Simon 2006, Bias in error estimation when using cross-validation for model selection, BMC
        Bioinformatics 7; Cawley and Talbot 2010, On over-fitting in model selection, JMLR 11.
    """
    folds, repeats, seed = search.folds, search.repeats, search.seed + 1
    rankers = []
    for number in range(folds):
        others = fold_number(folds, search.seed) != number
        with (
            persistence_scope(),
            nested_folds(run, [system], features, folds=folds, repeats=repeats, seed=seed, among=others) as parts_of,
        ):
            inner = parts_of(system)
            rankers.append(chosen([trial.cross_validated(inner, measure) for trial in trials]).build())
    return cross_validate_by_fold([rankers], [outer], name=CHOICE, measure=measure)
