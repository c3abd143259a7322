"""Forks Spark's Python workers in `make coverage`, as `cqa_spark.spark.python_daemon` does.

Workers save what they have executed after every task, because Spark kills them when it stops.
"""

import runpy
from typing import Any

from coverage import Coverage

from cqa_spark.spark.task_start import acknowledge_at_once

acknowledge_at_once()  # before the daemon imports what runs tasks

from pyspark import daemon  # noqa: E402

do_task = daemon.worker


def do_task_and_save(*connection: Any) -> int:
    """Do a task; return the worker's exit code, 0 to wait for another task."""
    code: int = do_task(*connection)
    if measured := Coverage.current():
        measured.save()
    return code


if __name__ == "__main__":
    daemon.worker = do_task_and_save
    runpy.run_module("cqa_spark.spark.python_daemon", run_name="__main__")
