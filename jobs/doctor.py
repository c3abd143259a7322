"""The job ``doctor`` for spark-submit; the same as ``cqa doctor``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["doctor", *sys.argv[1:]]))
