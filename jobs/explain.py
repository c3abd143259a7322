"""The job ``explain`` for spark-submit; the same as ``cqa explain``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["explain", *sys.argv[1:]]))
