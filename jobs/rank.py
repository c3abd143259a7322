"""The job ``rank`` for spark-submit; the same as ``cqa rank``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["rank", *sys.argv[1:]]))
