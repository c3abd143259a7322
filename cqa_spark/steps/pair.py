"""community tables → examples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame

from cqa_spark.config.settings import PairSettings
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.runtime.workspace import open_job
from cqa_spark.tasks.leakage import refuse_shared_threads
from cqa_spark.tasks.registry import known_tasks, task


def pair(settings: PairSettings) -> None:
    """Build the examples of every task from the run's community tables."""
    with open_job(settings, "pair", resume=True) as run:
        pair_step(run, tasks=known_tasks(), allow_shared_threads=settings.allow_shared_threads)


def pair_step(run: Run, *, tasks: Sequence[str], allow_shared_threads: bool) -> None:
    """Write the examples of the tasks.

    Raises:
        InputError: training and evaluation data share threads, and that is not allowed.
    """
    with run.step("pair") as step:
        posts, comments, judgments = (run.read(table) for table in (POSTS, COMMENTS, JUDGMENTS))
        built: list[DataFrame] = [task(name).build(posts, comments, judgments) for name in tasks]
        step.rows_in = judgments.count()
        step.rows_out = run.write(EXAMPLES, reduce(DataFrame.unionByName, built)).rows
        if not allow_shared_threads:
            refuse_shared_threads(run.read(EXAMPLES), posts, comments)
