"""features + labels → models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame

from cqa_spark.config.parts import FeatureSettings
from cqa_spark.config.settings import TrainSettings
from cqa_spark.lake.folders import MODELS
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import IN_TRAINING
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.rankers.ranker import RankerModel
from cqa_spark.rankers.rankings import importances
from cqa_spark.runtime.workspace import open_job, temporary_lake
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.steps.analyse import analyse_step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.featurize import GROUPS, featurize_step
from cqa_spark.steps.ingest import ingest_step, input_files
from cqa_spark.steps.pair import pair_step
from cqa_spark.steps.upstream import load_upstream, tasks_of, upstream_step
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.recipes import groups_of, read_systems, task_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, load_groups
from cqa_spark.systems.usable_systems import usable_systems


def train(settings: TrainSettings) -> None:
    """Train the systems of a run, or one system on files when a folder for its model is given."""
    if settings.model is not None and settings.system is not None:
        _train_on_files(settings, settings.system, settings.model)
        return
    with open_job(settings, "train", resume=True) as run:
        systems = read_systems(settings.systems)
        train_step(run, systems, task=task_of(systems))


def learn(run: Run, systems: Sequence[System], *, task: str, features: FeatureSettings) -> list[System]:
    """All steps from examples and texts to trained systems: upstream systems, features, rankers.

    Args:
        run: the run.
        systems: what is to be trained.
        task: the task of all of them.
        features: folds of the cross-fitting, and what as-of groups may see.

    Returns:
        The systems as they were trained; see ``usable_systems``.
    """
    upstream_step(run, systems, features)
    featurize_step(run, groups_of(systems), task=task, settings=features)
    return train_step(run, systems, task=task)


def train_step(run: Run, systems: Sequence[System], *, task: str) -> list[System]:
    """Fit every system on the training part; keep its model and how much each feature counts.

    Returns:
        The systems as they were trained; see ``usable_systems``.
    """
    systems = usable_systems(run, systems)
    with (
        run.step("train") as step,
        feature_frames(run, systems, task_examples(run, task).where(IN_TRAINING)) as frame_of,
    ):

        def fit_and_save(system: System) -> RankerModel:
            model = system.build().fit(frame_of(system))
            groups = load_groups(system.feature_groups, run.record.artifacts[GROUPS])
            path = run.artifact_path(MODELS, "systems", system.name)
            upstream = {name: load_upstream(run, name) for name in system.upstream}
            TrainedSystem(system, model, groups, run.run_id, upstream).save(path)
            run.add_artifact(model_artifact(system.name), path)
            return model

        models = run_concurrently(fit_and_save, systems)
        named = zip([system.name for system in systems], models, strict=True)
        learned = [importances(run.lake.spark, name, model) for name, model in named]
        run.write(FEATURE_IMPORTANCES, reduce(DataFrame.unionByName, learned))
        trainings = [model.description.training for model in models]
        step.rows_in = sum(each.rows for each in trainings if each is not None)
        step.rows_out = len(models)
    return systems


def model_artifact(system: str) -> str:
    """What a run calls the folder of a trained system among its artifacts."""
    return f"model/{system}"


def _train_on_files(settings: TrainSettings, name: str, model_path: str) -> None:
    inputs = input_files(settings.inputs.by_split(), settings.object_storage)
    systems = read_systems([name])
    with temporary_lake(settings) as held, open_job(held, "train", resume=False) as run:
        ingest_step(run, inputs, corpus=settings.corpus, site=settings.site)
        pair_step(run, tasks=tasks_of(systems), allow_shared_threads=True)
        analyse_step(run)
        learn(run, systems, task=task_of(systems), features=settings.features)
        TrainedSystem.load(run.record.artifacts[model_artifact(name)]).save(model_path)
    print(f"{name} trained: {model_path}")
