"""examples of other tasks → scores that the systems of a task learn from."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.parts import FeatureSettings
from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import group_class
from cqa_spark.lake.folders import MODELS
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.rankings import UPSTREAM_SCORES
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.steps.feature_inputs import compute_groups, feature_inputs, fit_groups
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.recipes import read_systems
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem
from cqa_spark.tasks.registry import known_tasks
from cqa_spark.tasks.upstream_examples import step_examples


def tasks_of(systems: Iterable[System]) -> list[str]:
    """The tasks of systems and of their upstream systems."""
    return _in_order(each.task for system in systems for each in (system, *_upstream_of(system)))


def tasks_of_trained(trained: TrainedSystem) -> list[str]:
    """The tasks of a saved system and of its upstream systems, by what was saved with it."""
    return _in_order(each.system.task for each in (trained, *trained.upstream.values()))


def upstream_step(run: Run, systems: Iterable[System], settings: FeatureSettings) -> None:
    """Train the systems that others name as upstream, and write what they say; nothing where none is named.

    Args:
        run: a run with the examples of all the tasks.
        systems: what is to be trained afterwards.
        settings: folds of the cross-fitting, of features and of scores alike, and what as-of groups may see.

    Raises:
        ConfigError: an upstream system is not fit for it.
    """
    wanted = {each.name: (each, system.task) for system in systems for each in _upstream_of(system)}
    if not wanted:
        return
    _refuse_two_of_a_task([each for each, _ in wanted.values()])
    with run.step("upstream") as step:
        for place, (system, of) in enumerate(wanted.values()):
            _train(run, system, of, settings, first=place == 0)
        step.rows_out = run.read(UPSTREAM_SCORES).count()


def score_upstream_step(run: Run, trained: TrainedSystem) -> None:
    """Write what a saved system's upstream systems say of the run's examples; nothing where it has none."""
    if not trained.upstream:
        return
    with run.step("upstream") as step:
        for place, upstream in enumerate(trained.upstream.values()):
            examples = _examples(run, upstream.system, trained.system.task)
            with feature_inputs(run, examples, FeatureSettings()) as inputs:
                compute_groups(run, upstream.groups, inputs)
                with feature_frames(run, [upstream.system], inputs.examples) as frame_of:
                    scored = upstream.model.transform(frame_of(upstream.system))
                    _write_scores(run, upstream.system, scored, first=place == 0)
        step.rows_out = run.read(UPSTREAM_SCORES).count()


def load_upstream(run: Run, name: str) -> TrainedSystem:
    """An upstream system that this run trained."""
    return TrainedSystem.load(run.record.artifacts[_artifact(name)])


def _in_order(tasks: Iterable[str]) -> list[str]:
    wanted = set(tasks)
    return [task for task in known_tasks() if task in wanted]


def _artifact(name: str) -> str:
    return f"upstream/{name}"


def _upstream_of(system: System) -> list[System]:
    found = read_systems(system.upstream)
    for upstream in found:
        if upstream.upstream:
            raise ConfigError(
                f"{system.name} builds on {upstream.name}, which builds on others itself",
                "name systems without upstream as upstream",
            )
        if not upstream.build().gives_probabilities:
            raise ConfigError(
                f"{system.name} builds on {upstream.name}, whose scores are not probabilities",
                "take a system whose ranker gives probabilities, or wrap its ranker in calibrated",
            )
    return found


def _refuse_two_of_a_task(upstream: Iterable[System]) -> None:
    by_task: dict[str, str] = {}
    for each in upstream:
        other = by_task.setdefault(each.task, each.name)
        if other != each.name:
            raise ConfigError(
                f"{other} and {each.name} are both upstream for {each.task}",
                "run the systems that build on them in runs of their own, or let them build on the same one",
            )


def _train(run: Run, system: System, of: str, settings: FeatureSettings, *, first: bool) -> None:
    """Train and save one system, and write its scores: out of fold for training threads."""
    with feature_inputs(run, _examples(run, system, of), settings) as inputs:
        groups, _ = fit_groups(
            run, ((group_class(name), inputs) for name in system.feature_groups), folds=settings.folds
        )
        with feature_frames(run, [system], inputs.examples) as frame_of:
            training = frame_of(system).where(IN_TRAINING)
            model = system.build().fit(training)
            path = run.artifact_path(MODELS, _artifact(system.name))
            TrainedSystem(system, model, groups, run.run_id).save(path)
            run.add_artifact(_artifact(system.name), path)
            held_out = out_of_fold(system.build(), training, folds=settings.folds)
            others = model.transform(frame_of(system).where(OUTSIDE_TRAINING))
            _write_scores(run, system, held_out.unionByName(others), first=first)


def _write_scores(run: Run, system: System, scored: DataFrame, *, first: bool) -> None:
    """Write a system's scores at once: the features that they come from are held no longer than needed."""
    key = [name for name in UPSTREAM_SCORES.key if name != "system"]
    scores = scored.select(F.lit(system.name).alias("system"), *key, F.col("score").cast("double"))
    if first:
        run.write(UPSTREAM_SCORES, scores)
    else:
        run.append(UPSTREAM_SCORES, scores)


def _examples(run: Run, system: System, of: str) -> DataFrame:
    return step_examples(run.read(EXAMPLES), run.read(POSTS), of=of, step=system.task)
