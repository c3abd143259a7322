"""The job ``dataset`` for spark-submit; the same as ``cqa dataset``: the next word names the data set."""

import sys

from cqa_spark.cli import main

sys.exit(main(["dataset", *sys.argv[1:]]))
