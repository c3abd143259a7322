"""Spark: the session, frames, and failures; and shortcuts around work of Spark that changes no result.

=====================  ===================================================================================  ==========
shortcut               saves                                                                                measured
=====================  ===================================================================================  ==========
``task_start.py``      reading lists of archives and collecting garbage at the start of a Python task       150 → 55 ms
``Acknowledged``       waiting for an acknowledgement in the middle of every Python task, on Linux          50 → 13 ms
``python_daemon.py``   imports in Python workers; CPU seconds in the first night of a site of 2,008 posts   10.7 → 6.2
``class_archive.py``   loading Java classes; CPU seconds until the first query has ended                    8.8 → 4.4
``scan_of``            analysing the plans of persisted rows; share of a night of a small site              a third
``keep_java_classes``  Py4J's search for Java classes; CPU milliseconds of Java for an expression           0.7 → 0.24
=====================  ===================================================================================  ==========

With the environment variable ``CQA_PLAIN_SPARK=1``, Spark does without all of them. On a cluster, workers need it, too:
``--conf spark.executorEnv.CQA_PLAIN_SPARK=1``. Figures and conditions are in ``docs/benchmarks.md``.
"""

import os
from importlib.metadata import PackageNotFoundError, version

PLAIN_SPARK = "CQA_PLAIN_SPARK"
"""The environment variable that switches the shortcuts off."""


def has_shortcuts() -> bool:
    """Whether this process takes the shortcuts."""
    return not os.environ.get(PLAIN_SPARK)


def installed_line() -> str:
    """The line of the installed PySpark, ``3.5`` or ``4``; 3.5 if there is none. PySpark is not imported."""
    try:
        return "4" if version("pyspark").startswith("4.") else "3.5"
    except PackageNotFoundError:
        return "3.5"
