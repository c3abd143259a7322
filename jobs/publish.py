"""The job ``publish`` for spark-submit; the same as ``cqa publish``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["publish", *sys.argv[1:]]))
