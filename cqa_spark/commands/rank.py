"""Train one system on files and rank another file with it."""

from __future__ import annotations

from cqa_spark.config.settings import RankSettings
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.workspace import open_job, temporary_lake
from cqa_spark.steps.analyse import analyse_step
from cqa_spark.steps.ingest import ingest_step, input_files
from cqa_spark.steps.pair import pair_step
from cqa_spark.steps.predictions import write_predictions
from cqa_spark.steps.score import score_step, trained_in_run
from cqa_spark.steps.train import learn
from cqa_spark.steps.upstream import tasks_of
from cqa_spark.systems.recipes import read_systems, task_of


def rank(settings: RankSettings) -> None:
    """Write the official prediction file of a system for a file whose labels need not be known."""
    inputs = input_files({**settings.inputs.by_split(), "test": (settings.input,)}, settings.object_storage)
    systems = read_systems([settings.system])
    with temporary_lake(settings) as held, open_job(held, "rank", resume=False) as run:
        ingest_step(run, inputs, corpus=settings.corpus, site=settings.site)
        pair_step(run, tasks=tasks_of(systems), allow_shared_threads=settings.allow_shared_threads)
        analyse_step(run)
        learn(run, systems, task=task_of(systems), features=settings.features)
        score_step(run, trained_in_run(run, (settings.system,)), task=task_of(systems))
        write_predictions(run.read(RANKINGS), settings.predictions, settings.object_storage)
