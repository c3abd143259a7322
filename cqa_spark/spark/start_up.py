"""An archive of the Java classes that jobs load, which Java maps into memory instead of reading thousands of classes.

An archive is valid for the Java installation, class path and jars that it was created with; otherwise Java reads the
jars.

Source: JEP 350, Dynamic CDS Archives.
"""

import gc
import importlib
import os
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from zipimport import zipimporter

from cqa_spark.settings.conf_files import jars_folder

_ARCHIVE = "classes.jsa"

_PATIENCE = 900
"""Timeout of the command, in seconds; it usually takes a minute."""

_QUIET = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
"""Suppresses Java's warning about an invalid archive, without which it works."""


def archive_options() -> tuple[str, ...]:
    """Options for Java to use the archive; none without an archive."""
    archive = jars_folder() / _ARCHIVE
    return (f"-XX:SharedArchiveFile={archive}", *_QUIET) if archive.is_file() else ()


def make_archive(command: Sequence[str]) -> Path | None:
    """Archive the classes that a command loads.

    Args:
        command: starts Spark in local mode.

    Returns:
        The archive; None if the command failed or took too long, or Java wrote none.
    """
    archive = jars_folder() / _ARCHIVE
    # Java does not validate the archive: a truncated one causes a bus error.
    partial = archive.with_suffix(".partial")
    archive.unlink(missing_ok=True)
    options = shlex.join([f"-XX:ArchiveClassesAtExit={partial}", *_QUIET])
    # Java inherits the output and writes the archive at exit, so reading the output to its end waits for the archive.
    try:
        environment = os.environ | {"SPARK_SUBMIT_OPTS": options}
        subprocess.run(command, env=environment, capture_output=True, check=True, timeout=_PATIENCE)
        return partial.replace(archive)
    except (subprocess.SubprocessError, FileNotFoundError):
        return None
    finally:
        partial.unlink(missing_ok=True)


# The process that forks Spark's Python workers on one machine, with an import path of folders only.
#
# Spark puts its core jar and a zip of PySpark onto the path of its workers. Every task reads their lists of files
# again, because it invalidates Python's import caches; and modules from a zip are compiled at every start. In local
# mode, folders hold the same modules.
#
# It also imports what most tasks need, once for all workers.
#
# Source: `spark.python.daemon.module`, SPARK-22959.

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
    """What the daemon prints of an error in a worker, in place of the module ``traceback``.

    Where Spark cancels a task or ends, the worker finds the end of its input: no error, and nobody's to read.
    """

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

    from pyspark import daemon

    daemon.traceback = ErrorsOfWorkers()  # type: ignore[assignment]  # a module, of which this is all that is used
    daemon.manager()


# What a Python worker of Spark does at the start of each task, without the parts that take time and change nothing.
#
# Spark puts its core jar, a zip of PySpark and the files of ``--py-files`` onto the path of its workers, and has
# Python invalidate its import caches in every task. Python before 3.13 then reads the list of files of an archive
# again for each of its packages that was imported. After every task, Spark collects garbage, which visits the objects
# of all imported modules. Together, a task without rows takes 150 ms. In local mode, `python_daemon` keeps both from
# workers.
#
# Source: `importlib.abc.MetaPathFinder.invalidate_caches`; https://github.com/python/cpython/issues/103200.


class TaskStart(MetaPathFinder):
    """Finds no module; Python calls ``invalidate_caches`` of all finders, in the order of ``sys.meta_path``."""

    def __init__(self) -> None:
        self._modules = 0

    def find_spec(self, *_: object) -> None:
        """Leave the import to the other finders."""

    def invalidate_caches(self) -> None:
        """Forget the importers of archives, which need no reading to be made again; keep modules out of collections."""
        for entry, importer in list(sys.path_importer_cache.items()):
            if isinstance(importer, zipimporter):
                del sys.path_importer_cache[entry]
        if len(sys.modules) > self._modules:
            gc.freeze()
            self._modules = len(sys.modules)


def shorten_task_starts() -> None:
    """Do so in this process, which is a worker."""
    sys.meta_path.insert(0, TaskStart())
