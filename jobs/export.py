"""The job ``export`` for spark-submit; the same as ``cqa export``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["export", *sys.argv[1:]]))
