"""The job ``pair`` for spark-submit; the same as ``cqa pair``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["pair", *sys.argv[1:]]))
