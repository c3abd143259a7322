"""models + features → rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame

from cqa_spark.config.settings import ScoreSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import OUTSIDE_TRAINING
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.rankers.rankings import rank
from cqa_spark.runtime.workspace import open_job, temporary_lake
from cqa_spark.steps.analyse import analyse_step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.featurize import compute_step
from cqa_spark.steps.ingest import ingest_step, input_files
from cqa_spark.steps.pair import pair_step
from cqa_spark.steps.predictions import write_predictions
from cqa_spark.steps.train import model_artifact
from cqa_spark.steps.upstream import score_upstream_step, tasks_of_trained
from cqa_spark.systems.feature_frames import FrameOf, feature_frames
from cqa_spark.systems.recipes import task_of
from cqa_spark.systems.trained_system import TrainedSystem


def score(settings: ScoreSettings) -> None:
    """Rank the examples of a run, or a file when the folder of a trained system is given."""
    if settings.model is not None and settings.input is not None and settings.predictions is not None:
        _score_file(settings, settings.model, settings.input, settings.predictions)
        return
    with open_job(settings, "score", resume=True) as run:
        trained = trained_in_run(run, settings.systems)
        score_step(run, trained, task=task_of(each.system for each in trained.values()))


def trained_in_run(run: Run, systems: Sequence[str]) -> dict[str, TrainedSystem]:
    """The systems that the run has trained, by name.

    Raises:
        InputError: the run has not trained one of them.
    """
    missing = [name for name in systems if model_artifact(name) not in run.record.artifacts]
    if missing:
        raise InputError(
            f"run {run.run_id} has not trained {', '.join(missing)}",
            f"train first: cqa train --run-id {run.run_id} --systems {' '.join(missing)}",
        )
    return {name: TrainedSystem.load(run.record.artifacts[model_artifact(name)]) for name in systems}


def score_step(run: Run, systems: Mapping[str, TrainedSystem], *, task: str) -> None:
    """Rank the candidates of every query outside the training part with every system.

    Raises:
        InputError: there is nothing to rank.
    """
    recipes = [trained.system for trained in systems.values()]
    with (
        run.step("score") as step,
        feature_frames(run, recipes, task_examples(run, task).where(OUTSIDE_TRAINING)) as frame_of,
    ):
        step.rows_out = run.write(RANKINGS, rankings_by(systems, frame_of, run.run_id)).rows
        step.rows_in = step.rows_out // len(systems)
        if step.rows_out == 0:
            raise InputError(
                f"the input has no candidates to rank for {task}",
                "give a file that holds queries of the task; see cqa runs show for what was read",
            )


def rankings_by(systems: Mapping[str, TrainedSystem], frame_of: FrameOf, run_id: str) -> DataFrame:
    """The rankings of several systems, as rows of ``RANKINGS``.

    Args:
        systems: trained systems by name, at least one.
        frame_of: what gives the examples with the features of each.
        run_id: the run that ranks.
    """
    rankings = (
        rank(trained.model.transform(frame_of(trained.system)), name, run_id) for name, trained in systems.items()
    )
    return reduce(DataFrame.unionByName, rankings)


def _score_file(settings: ScoreSettings, model_path: str, input_path: str, predictions: str) -> None:
    inputs = input_files({"test": (input_path,)}, settings.object_storage)
    with temporary_lake(settings) as held, open_job(held, "score", resume=False) as run:
        trained = TrainedSystem.load(model_path)
        ingest_step(run, inputs, corpus=settings.corpus, site=settings.site)
        pair_step(run, tasks=tasks_of_trained(trained), allow_shared_threads=True)
        analyse_step(run)
        score_upstream_step(run, trained)
        compute_step(run, trained.groups, task=trained.system.task)
        score_step(run, {trained.system.name: trained}, task=trained.system.task)
        write_predictions(run.read(RANKINGS), predictions, settings.object_storage)
