"""Runs a command of cqa-spark on a machine of Databricks, with the packages and the Spark of /opt/cqa-spark.

Of the runtime, nothing is used: the variables that lead Python and Spark to it are not handed on.
"""

import os
import subprocess
import sys

COMMAND = "/opt/cqa-spark/.venv/bin/cqa"

environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "PYTHON", "SPARK"))}
# Databricks takes every SystemExit for a failure, even that of exit code 0.
if code := subprocess.call([COMMAND, *sys.argv[1:]], env=environment):
    sys.exit(code)
