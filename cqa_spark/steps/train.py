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

            def train(system: System) -> TrainedSystem | None:
                upstream = {name: trained_system(run, upstream_artifact(name)) for name in system.upstream}
                if are_fitted([system]):
                    groups = load_groups(system.feature_groups, run.artifact(GROUPS.name) or "", run.lake.storage)
                else:
                    groups = unfitted_groups(system.feature_groups)
                try:
                    trained = fit_system(run, system, frame_of(system), threads, groups, upstream=upstream)
                except InputError as error:
                    if system.name not in self.dispensable:
                        raise
                    Terminal(stderr=True).line(f"warning: {system.name} is left out: {error.problem}")
                    return None
                add_model(run, model_artifact(system.name), trained)
                return trained

            trained = [system for system in run_concurrently(train, systems) if system is not None]
        write_importances(run, trained)
        trainings = [system.model.description.training for system in trained]
        counts.rows_in = sum(training.rows for training in trainings if training is not None)
        counts.rows_out = len(trained)


@contextmanager
def _frames(run: Run, systems: Sequence[System], examples: DataFrame) -> Iterator[FrameOf]:
    """The frames of systems; without values if none of the systems learns."""
    if are_fitted(systems):
        with feature_frames(run, systems, examples) as frame_of:
            yield frame_of
    else:
        yield lambda system: examples.selectExpr("*", *[f"double(null) AS `{name}`" for name in system.features()])


def _with_missed(run: Run, examples: DataFrame) -> DataFrame:
    """Examples with the number of relevant candidates of their query that retrieval missed, if any were retrieved."""
    if not run.has(UNRETRIEVED):
        return examples
    missed = run.read(UNRETRIEVED).groupBy(*QUERY).agg(F.count(F.lit(1)).alias(MISSED))
    return examples.join(missed, on=list(QUERY), how="left").fillna(0, [MISSED])


def tuned_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems with the parameters chosen for their rankers; unchanged without a search."""
    chosen = {trial["system"]: trial["parameters"] for trial in run.entries_or_none(TRIALS) if trial["chosen"]}
    tuned = []
    for system in systems:
        if system.name in chosen:
            parameters = with_values(system.ranker.parameters, json.loads(chosen[system.name]))
            ranker = system.ranker.model_copy(update={"parameters": parameters})
            tuned.append(system.model_copy(update={"ranker": ranker}))
        else:
            tuned.append(system)
    return tuned


def trained_recipes(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems that the run has trained, with the recipes used in training."""
    names = [model_artifact(system.name) for system in systems]
    return [trained_system(run, name).system for name in names if run.artifact(name)]


def fit_system(
    run: Run,
    system: System,
    examples: DataFrame,
    threads: DataFrame,
    groups: Mapping[str, FeatureGroup],
    *,
    upstream: Mapping[str, TrainedSystem] | None = None,
    card: ModelCard | None = None,
) -> TrainedSystem:
    """Fit the ranker of a system; ``add_model`` saves the result.

    Args:
        run: the run that trains.
        system: the recipe.
        examples: training examples with the system's features; read several times.
        threads: their threads, as ``training_threads`` returns them.
        groups: the system's fitted feature groups, by name.
        upstream: the systems whose scores are features of this one, by name.
        card: what the system learned from, if that is described.

    Raises:
        InputError: there is not enough to learn from.
    """
    return TrainedSystem(system, system.build().fit(examples), groups, run.run_id, threads, upstream or {}, card)


def add_model(run: Run, artifact: str, trained: TrainedSystem, copy: str = "") -> None:
    """Save a trained system, which becomes the run's model of this name.

    Args:
        run: the run.
        artifact: a name from ``model_artifact`` or ``upstream_artifact``.
        trained: the system.
        copy: a folder for a model that takes the place of another one of the run.
    """
    path = run.artifact_path("models", *([copy] if copy else []), artifact)
    trained.save(path, run.lake.storage)
    run.add_artifact(artifact, path, loaded=trained)


def write_importances(run: Run, trained: Sequence[TrainedSystem]) -> None:
    """Write the feature importances of some systems beside those of the run's other systems.

    Args:
        run: the run to write to.
        trained: the systems; their earlier entries are replaced.
    """
    names = {system.system.name for system in trained}
    before = run.entries(FEATURE_IMPORTANCES) if run.has(FEATURE_IMPORTANCES) else []
    others = [entry for entry in before if entry["system"] not in names]
    new = [entry for system in trained for entry in importances(system.system.name, system.model)]
    run.write_entries(FEATURE_IMPORTANCES, [*others, *new])


# The cards of systems that learn from replayed nights.

LICENCE = "CC BY-SA, of the version that each post states, or of its time where it states none"
"""Of the public data of Stack Exchange, the only dumps whose nights are replayed."""


def card_of(system: System, examples: DataFrame, posts: DataFrame) -> ModelCard:
    """The card of a system that learns from replayed nights, without figures.

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


def learned_sites(examples: DataFrame, posts: DataFrame) -> tuple[LearnedSite, ...]:
    """The labels and licences of each site of training examples.

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


def nothing_to_learn_from(system: str) -> InputError:
    """The error of a system without a label on any replayed night."""
    return InputError(
        f"{system} has nothing to learn from: no question had two answers on a night before one of them was accepted",
        "give more dumps, with Votes.xml, which dates acceptances",
    )
