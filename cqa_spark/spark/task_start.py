"""What a Python worker of Spark does at the start of each task, without the parts that take time and change nothing.

Spark puts its core jar, a zip of PySpark and the files of ``--py-files`` onto the path of its workers, and has Python
invalidate its import caches in every task. Python before 3.13 then reads the list of files of an archive again for each
of its packages that was imported. After every task, Spark collects garbage, which visits the objects of all imported
modules. Together, a task without rows takes 150 ms. In local mode, `python_daemon` keeps both from workers.

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
    """Do so in this process, which is a worker."""
    sys.meta_path.insert(0, TaskStart())
