"""The job ``experiment`` for spark-submit; the same as ``cqa experiment``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["experiment", *sys.argv[1:]]))
