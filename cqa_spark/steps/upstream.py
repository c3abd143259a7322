"""examples of other tasks → upstream scores, which the systems of a task use as features."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError
from cqa_spark.features.feature_table import tables_of
from cqa_spark.features.registry import group_class, require_libraries
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.rankings import UPSTREAM_SCORES
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.feature_inputs import (
    IF_PRESENT,
    feature_inputs,
    fit_and_write,
    text_tables,
    write_outside_training,
)
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.recipes import groups_of, rank_by_words, read_systems
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact, trained_system, upstream_artifact
from cqa_spark.task_contract.leakage import training_threads
from cqa_spark.task_contract.upstream_examples import upstream_examples


class Upstream(NamedTuple):
    """A system whose scores others learn from.

    Attributes:
        system: its recipe.
        of: task of the systems that learn from it.
        shortcut: whether they also use its scores of their own pairs.
    """

    system: System
    of: str
    shortcut: bool


def upstream_of(systems: Iterable[System]) -> list[Upstream]:
    """The upstream systems of systems, each once.

    Raises:
        ConfigError: one has upstream systems itself, predicts no probabilities, or is one of two for a task.
    """
    found: dict[str, Upstream] = {}
    for system in systems:
        for upstream in read_systems(system.upstream):
            _refuse_unfit(system, upstream)
            before = found.get(upstream.name)
            shortcut = reads_shortcut(system) or (before is not None and before.shortcut)
            found[upstream.name] = Upstream(upstream, system.task, shortcut)
    _refuse_two_of_a_task(each.system for each in found.values())
    return list(found.values())


def reads_shortcut(system: System) -> bool:
    """Whether a system uses the scores of its upstream systems for its own pairs."""
    return any(group_class(name).reads_shortcut for name in system.feature_groups)


def tasks_of(systems: Sequence[System]) -> list[str]:
    """The tasks of systems and of their upstream systems, in alphabetical order."""
    return sorted({system.task for system in systems} | {each.system.task for each in upstream_of(systems)})


@dataclass(frozen=True)
class TrainUpstream(Step):
    """Train the upstream systems, and write their scores of the candidates of other systems.

    Attributes:
        systems: systems trained afterwards; at least one names an upstream system.
        settings: folds of the cross-fitting of features and of scores, and the cut of as-of groups.
    """

    systems: Sequence[System]
    settings: FeatureSettings

    name = "upstream"

    def reads(self) -> tuple[Product, ...]:
        """The inputs of the upstream systems' features."""
        upstream = [each.system for each in upstream_of(self.systems)]
        return EXAMPLES, POSTS, COMMENTS, *text_tables(groups_of(upstream), words=rank_by_words(upstream))

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The scores, the values of the groups of each upstream system, and its model."""
        upstream = [each.system for each in upstream_of(self.systems)]
        models = [Artifact(upstream_artifact(system.name)) for system in upstream]
        return UPSTREAM_SCORES, *tables_of(groups_of(upstream)), *models

    def prepare(self) -> None:
        """Check that the libraries of the groups are installed, and what training the rankers needs."""
        systems = [upstream.system for upstream in upstream_of(self.systems)]
        require_libraries(groups_of(systems))
        for system in systems:
            system.build().parameters.require_environment()

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Train one by one; scores of training threads are out-of-fold."""
        for place, upstream in enumerate(upstream_of(self.systems)):
            _train(run, upstream, self.settings, first=place == 0)
        counts.rows_out = run.read(UPSTREAM_SCORES).count()


@dataclass(frozen=True)
class ScoreUpstream(Step):
    """Write the upstream scores of the run's examples for a trained system.

    Attributes:
        system: recipe of the system, which names upstream systems; the run has its model.
    """

    system: System

    name = "upstream"

    def reads(self) -> tuple[Product, ...]:
        """The model, and the inputs of the features."""
        tables = text_tables(groups_of(each.system for each in upstream_of([self.system])))
        return Artifact(model_artifact(self.system.name)), EXAMPLES, POSTS, COMMENTS, *tables

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The scores, and the values of the groups of the upstream systems."""
        return UPSTREAM_SCORES, *tables_of(groups_of(each.system for each in upstream_of([self.system])))

    def prepare(self) -> None:
        """Check that the libraries of the groups are installed."""
        require_libraries(groups_of(each.system for each in upstream_of([self.system])))

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute features and scores, one upstream system after the other."""
        trained = trained_system(run, model_artifact(self.system.name))
        for place, upstream in enumerate(trained.upstream.values()):
            examples = _examples(run, Upstream(upstream.system, self.system.task, reads_shortcut(self.system)))
            with feature_inputs(run, examples, FeatureSettings()) as inputs:
                write_outside_training(run, upstream.groups, inputs)
                with feature_frames(run, [upstream.system], inputs.examples) as frame_of:
                    scored = upstream.model.transform(frame_of(upstream.system))
                    _write_scores(run, upstream.system, scored, first=place == 0)
        counts.rows_out = run.read(UPSTREAM_SCORES).count()


def _refuse_unfit(system: System, upstream: System) -> None:
    if upstream.upstream:
        raise ConfigError(
            f"{system.name} builds on {upstream.name}, which itself has upstream systems",
            "name systems without upstream as upstream",
        )
    if not upstream.build().gives_probabilities:
        raise ConfigError(
            f"{system.name} builds on {upstream.name}, whose scores are not probabilities",
            "choose a system whose ranker predicts probabilities, or wrap its ranker in calibrated",
        )


def _refuse_two_of_a_task(upstream: Iterable[System]) -> None:
    by_task: dict[str, str] = {}
    for each in upstream:
        other = by_task.setdefault(each.task, each.name)
        if other != each.name:
            raise ConfigError(
                f"{other} and {each.name} are both upstream for {each.task}",
                "use separate runs for the systems that build on them, or let them build on the same one",
            )


def _train(run: Run, upstream: Upstream, settings: FeatureSettings, *, first: bool) -> None:
    """Train and save one system, and write its scores, out-of-fold for training threads."""
    system = upstream.system
    with feature_inputs(run, _examples(run, upstream), settings) as inputs:
        groups, _ = fit_and_write(
            run, ((group_class(name), inputs) for name in system.feature_groups), folds=settings.folds
        )
        with feature_frames(run, [system], inputs.examples) as frame_of:
            training = frame_of(system).where(IN_TRAINING)
            threads = training_threads(inputs.examples, inputs.posts, inputs.comments)
            trained = TrainedSystem(system, system.build().fit(training), groups, run.run_id, threads)
            path = run.artifact_path("models", upstream_artifact(system.name))
            trained.save(path, run.lake.storage)
            run.add_artifact(upstream_artifact(system.name), path, loaded=trained)
            held_out = out_of_fold(system.build(), training, folds=settings.folds)
            others = trained.model.transform(frame_of(system).where(OUTSIDE_TRAINING))
            _write_scores(run, system, held_out.unionByName(others), first=first)


def _write_scores(run: Run, system: System, scored: DataFrame, *, first: bool) -> None:
    """Write a system's scores immediately, so that its features can be released."""
    key = [name for name in UPSTREAM_SCORES.key if name != "system"]
    scores = scored.select(F.lit(system.name).alias("system"), *key, F.col("score").cast("double"))
    if first:
        run.write(UPSTREAM_SCORES, scores)
    else:
        run.append(UPSTREAM_SCORES, scores)


def _examples(run: Run, upstream: Upstream) -> DataFrame:
    names = {"of": upstream.of, "task_name": upstream.system.task}
    return upstream_examples(run.read(EXAMPLES), run.read(POSTS), **names, shortcut=upstream.shortcut)
