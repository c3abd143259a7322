"""The process that forks Spark's Python workers on one machine, with an import path of folders only.

Spark puts its core jar and a zip of PySpark onto the path of its workers. Every task reads their lists of files again,
because it invalidates Python's import caches; and modules from a zip are compiled at every start. In local mode,
folders hold the same modules.

Source: `spark.python.daemon.module`, SPARK-22959.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path


def without_archives(path: Iterable[str]) -> list[str]:
    """An import path without jars and zips.

    Args:
        path: entries of ``sys.path``.
    """
    return [entry for entry in path if Path(entry).suffix not in {".jar", ".zip"}]


if __name__ == "__main__":
    sys.path[:] = without_archives(sys.path)
    sys.path_importer_cache.clear()

    from pyspark.daemon import manager

    manager()
