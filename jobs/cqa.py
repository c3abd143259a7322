"""The command ``cqa`` for spark-submit, which takes a file: ``spark-submit … jobs/cqa.py NAME [options]``."""

import sys

from cqa_spark.cli import main
from cqa_spark.spark.session import start_in_cluster

start_in_cluster()
sys.exit(main())
