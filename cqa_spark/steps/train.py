"""features + labels → models."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import cqa_spark
from cqa_spark.errors import InputError
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.probe import values_hash
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, LEFT_OUT_GROUPS, QUERY
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.schemas.retrieval import UNRETRIEVED
from cqa_spark.lake.schemas.studies import TRIALS
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.calibrated import MISSED
from cqa_spark.rankers.rankings import importances
from cqa_spark.rankers.tuning_ranges import with_values
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.spark.frames import persisted, run_concurrently
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.featurize import GROUPS
from cqa_spark.systems.feature_frames import FrameOf, feature_frames, frame_tables
from cqa_spark.systems.model_card import LearnedSite, ModelCard
from cqa_spark.systems.recipes import are_fitted, usable_systems
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import (
    TrainedSystem,
    load_groups,
    model_artifact,
    trained_system,
    unfitted_groups,
    upstream_artifact,
)
from cqa_spark.task_contract.leakage import training_threads


@dataclass(frozen=True)
class Train(Step):
    """Fit every system on the training split, save its model, and write the feature importances.

    A system is trained without the groups that the run omitted (``usable_systems``), and with the parameters that a
    search on the run selected (``tuned_systems``).

    Attributes:
        systems: recipes of one task.
        task: their task.
        dispensable: names of systems that are left out, with a warning, if there is not enough to learn from.
    """

    systems: Sequence[System]
    task: str
    dispensable: Collection[str] = ()

    name = "train"

    def reads(self) -> tuple[Product, ...]:
        """Examples with their posts and comments; features, fitted groups and upstream scores if a system learns."""
        if not are_fitted(self.systems):
            return EXAMPLES, POSTS, COMMENTS
        upstream = {name for system in self.systems for name in system.upstream}
        models = [Artifact(upstream_artifact(name)) for name in sorted(upstream)]
        return EXAMPLES, POSTS, COMMENTS, *frame_tables(self.systems), GROUPS, *models

    def reads_if_present(self) -> tuple[Product, ...]:
        """The omitted groups, the trials of a search, and what retrieval missed."""
        return LEFT_OUT_GROUPS, TRIALS, UNRETRIEVED

    def writes(self) -> tuple[Product, ...]:
        """A model for each system, and the feature importances."""
        return *[Artifact(model_artifact(system.name)) for system in self.systems], FEATURE_IMPORTANCES

    def prepare(self) -> None:
        """Check what training the rankers needs."""
        for system in self.systems:
            system.build().parameters.require_environment()

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Fit and save."""
        systems = tuned_systems(run, usable_systems(run, self.systems))
        examples = _with_missed(run, task_examples(run, self.task).where(IN_TRAINING))
        threads = training_threads(examples, run.read(POSTS), run.read(COMMENTS))
        with persisted(threads) as (threads,), _frames(run, systems, examples) as frame_of:

            def fit_and_save(system: System) -> TrainedSystem:
                trained = TrainedSystem(
                    system,
                    system.build().fit(frame_of(system)),
                    _groups(run, system),
                    run.run_id,
                    threads,
                    {name: load_upstream(run, name) for name in system.upstream},
                )
                path = run.artifact_path("models", model_artifact(system.name))
                trained.save(path, run.lake.storage)
                run.add_artifact(model_artifact(system.name), path, loaded=trained)
                return trained

            def attempt(system: System) -> TrainedSystem | None:
                try:
                    return fit_and_save(system)
                except InputError as error:
                    if system.name not in self.dispensable:
                        raise
                    Terminal(stderr=True).line(f"warning: {system.name} is left out: {error.problem}")
                    return None

            trained = [each for each in run_concurrently(attempt, systems) if each is not None]
        write_importances(run, trained)
        trainings = [each.model.description.training for each in trained]
        counts.rows_in = sum(each.rows for each in trainings if each is not None)
        counts.rows_out = len(trained)


@contextmanager
def _frames(run: Run, systems: Sequence[System], examples: DataFrame) -> Iterator[FrameOf]:
    """The frames of systems; without values if none of the systems learns."""
    if are_fitted(systems):
        with feature_frames(run, systems, examples) as frame_of:
            yield frame_of
    else:
        yield lambda system: examples.selectExpr("*", *[f"double(null) AS `{name}`" for name in system.features()])


def _groups(run: Run, system: System) -> dict[str, FeatureGroup]:
    if not are_fitted([system]):
        return unfitted_groups(system.feature_groups)
    return load_groups(system.feature_groups, run.artifact(GROUPS.name) or "", run.lake.storage)


def _with_missed(run: Run, examples: DataFrame) -> DataFrame:
    """Examples with the number of relevant candidates of their query that retrieval missed, if any were retrieved."""
    if not run.has(UNRETRIEVED):
        return examples
    missed = run.read(UNRETRIEVED).groupBy(*QUERY).agg(F.count(F.lit(1)).alias(MISSED))
    return examples.join(missed, on=list(QUERY), how="left").fillna(0, [MISSED])


def trained_recipes(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems that the run has trained, with the recipes used in training."""
    names = [model_artifact(system.name) for system in systems]
    return [trained_system(run, name).system for name in names if run.artifact(name)]


def load_upstream(run: Run, name: str) -> TrainedSystem:
    """An upstream system that this run trained."""
    return trained_system(run, upstream_artifact(name))


def tuned_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems with the parameters chosen for their rankers; unchanged without a search."""
    chosen = {each["system"]: json.loads(each["parameters"]) for each in run.entries_or_none(TRIALS) if each["chosen"]}
    return [_with_values(system, chosen[system.name]) if system.name in chosen else system for system in systems]


def _with_values(system: System, values: dict[str, float | int]) -> System:
    parameters = with_values(system.ranker.parameters, values)
    return system.model_copy(update={"ranker": system.ranker.model_copy(update={"parameters": parameters})})


def write_importances(run: Run, trained: Sequence[TrainedSystem]) -> None:
    """Write the feature importances of some systems beside those of the run's other systems.

    Args:
        run: the run to write to.
        trained: the systems; their earlier entries are replaced.
    """
    names = {each.system.name for each in trained}
    before = run.entries(FEATURE_IMPORTANCES) if run.has(FEATURE_IMPORTANCES) else []
    others = [entry for entry in before if entry["system"] not in names]
    new = [entry for each in trained for entry in importances(each.system.name, each.model)]
    run.write_entries(FEATURE_IMPORTANCES, [*others, *new])


# Trains a system on examples with features, and writes the card of what it learned from.

LICENCE = "CC BY-SA, of the version that each post states, or of its time where it states none"
"""Of the public data of Stack Exchange, the only dumps whose nights are replayed."""


def learn(
    system: System,
    frame: DataFrame,
    posts: DataFrame,
    comments: DataFrame,
    groups: Mapping[str, FeatureGroup],
    training_run: str,
) -> TrainedSystem:
    """Train a system on replayed nights.

    Args:
        system: the recipe.
        frame: examples of nights with the system's features; read several times. Those of the split train are learned.
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.
        groups: the system's feature groups, by name.
        training_run: id of the run.

    Raises:
        InputError: there is not enough to learn from.
    """
    examples = frame.where(IN_TRAINING)
    card, threads = card_of(system, examples, posts), training_threads(examples, posts, comments)
    return TrainedSystem(system, system.build().fit(examples), groups, training_run, threads, card=card)


def card_of(system: System, examples: DataFrame, posts: DataFrame) -> ModelCard:
    """The card of a system that learned from replayed nights, without figures.

    Args:
        system: the recipe.
        examples: of the training split.
        posts: of the schema ``POSTS``.

    Raises:
        InputError: no thread has a label.
    """
    card = ModelCard(
        version=cqa_spark.__version__,
        sites=learned_sites(examples, posts),
        features=values_hash(system.feature_groups),
        licence=LICENCE,
    )
    if card.labels == 0:
        raise nothing_to_learn_from(system.name)
    return card


def nothing_to_learn_from(system: str) -> InputError:
    """The error of a system without a label on any replayed night."""
    return InputError(
        f"{system} has nothing to learn from: no question had two answers on a night before one of them was accepted",
        "give more dumps, with Votes.xml, which dates acceptances",
    )


def learned_sites(examples: DataFrame, posts: DataFrame) -> tuple[LearnedSite, ...]:
    """What there is to learn from on each site.

    Args:
        examples: training examples; a query has a label if one of its candidates is relevant.
        posts: all posts of the sites.
    """
    thread, query = F.col("fold_key"), F.col("query_id")
    counted = examples.groupBy("site").agg(
        F.count_distinct(thread).alias("threads"),
        F.count_distinct(F.when(F.col("relevant"), thread)).alias("labels"),
        F.count_distinct(F.when(F.col("relevant"), query)).alias("queries"),
    )
    dated = posts.groupBy("site").agg(
        F.to_date(F.max("created_at")).alias("newest"),
        F.array_sort(F.collect_set("content_license")).alias("licences"),
    )
    rows = counted.join(dated, on="site").orderBy("site").collect()
    return tuple(LearnedSite.model_validate(row.asDict()) for row in rows)
