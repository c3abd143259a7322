"""The job ``features`` for spark-submit; the same as ``cqa features``: ``features audit`` needs a cluster's Spark."""

import sys

from cqa_spark.cli import main

sys.exit(main(["features", *sys.argv[1:]]))
