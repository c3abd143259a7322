"""The process that forks Spark's Python workers on one machine, with an import path of folders only.

Spark puts its core jar and a zip of PySpark onto the path of its workers. Every task reads their lists of files again,
because it invalidates Python's import caches; and modules from a zip are compiled at every start. In local mode,
folders hold the same modules.

It also imports what most tasks need, once for all workers.

Measured on the first night of a site with 2,008 posts: Python workers take 6.2 instead of 10.7 CPU seconds.
``CQA_PLAIN_SPARK=1`` switches it off, and so does ``spark.python.daemon.module`` in the settings of spark-submit.

Source: `spark.python.daemon.module`, SPARK-22959.
"""

import gc
import importlib
import os
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cqa_spark.spark.task_start import acknowledge_at_once

IMPORTED_BY_TASKS = (
    "distutils.version",
    "numpy",
    "pandas",
    "pyarrow.compute",
    "pyarrow.parquet",
    "pyspark.sql.pandas.serializers",
    "pyspark.worker",
    "cqa_spark.features.author_pass",
    "cqa_spark.features.query_pass",
    "cqa_spark.lake.writing",
)
"""Modules that most tasks import: workers, of which a small night starts ten, are copies of a process that has them.

The threads of Arrow and OpenBLAS are prepared for a fork; none of the modules starts another when it is imported.
"""

MORE_IMPORTS = "CQA_TASKS_IMPORT"
"""The environment variable with the further modules that the tasks of a job import, separated by blanks."""


def without_archives(path: Iterable[str]) -> list[str]:
    """An import path without jars and zips.

    Args:
        path: entries of ``sys.path``.
    """
    return [entry for entry in path if Path(entry).suffix not in {".jar", ".zip"}]


class ErrorsOfWorkers:
    """What the daemon uses of the module ``traceback``.

    When Spark cancels a task or ends, the worker reads the end of its input. This is no error, and is not printed.
    """

    format_exc = staticmethod(traceback.format_exc)

    def print_exc(self) -> None:
        """Print the error that is being handled, unless it is the end of the input."""
        if not isinstance(sys.exc_info()[1], EOFError):
            traceback.print_exc()


if __name__ == "__main__":
    sys.path[:] = without_archives(sys.path)
    sys.path_importer_cache.clear()

    for module in (*IMPORTED_BY_TASKS, *os.environ.get(MORE_IMPORTS, "").split()):
        with suppress(ImportError):  # the task that needs it says what is missing
            importlib.import_module(module)
    gc.freeze()  # collections in a worker would copy the pages of these modules

    acknowledge_at_once()  # before the daemon imports what runs tasks

    from pyspark import daemon

    daemon.traceback = ErrorsOfWorkers()  # type: ignore[assignment]  # a module
    daemon.manager()
