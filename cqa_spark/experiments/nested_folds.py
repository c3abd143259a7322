"""The folds of a cross-validation, with features that do not depend on labels of the held-out fold.

Stored features of training examples come from cross-fitted models, which were trained on labels of the fold that a
cross-validation holds out. Groups that learn from labels are therefore refitted on the training part of each fold
(nested cross-validation: Varma and Simon 2006, Bias in error estimation when using cross-validation for model
selection, BMC Bioinformatics 7).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.experiments.evaluation_split import Part
from cqa_spark.features.assembly import assemble
from cqa_spark.features.feature_table import KEY, read_values
from cqa_spark.features.featurize import compute_place, fit_groups
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import Place, learns_from_labels
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import IN_TRAINING
from cqa_spark.rankers.pair_words import with_words
from cqa_spark.spark.persistence import persist
from cqa_spark.steps.feature_inputs import feature_inputs, task_examples
from cqa_spark.systems.recipes import groups_of, rank_by_words, task_of
from cqa_spark.systems.system import System

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
    groups: Iterable[str], inputs: FeatureInputs, stored: Mapping[Place, DataFrame], folds: int
) -> dict[Place, DataFrame]:
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
    values = compute_place(fit_groups(learning, inputs, folds=folds), inputs, folds)
    others = stored[Place.QUERY].drop(*[group.name for group in learning])
    return {Place.QUERY: others.join(values, on=list(KEY))}
