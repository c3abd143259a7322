"""The job ``evaluate`` for spark-submit; the same as ``cqa evaluate``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["evaluate", *sys.argv[1:]]))
