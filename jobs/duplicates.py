"""The job ``duplicates`` for spark-submit; the same as ``cqa duplicates``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["duplicates", *sys.argv[1:]]))
