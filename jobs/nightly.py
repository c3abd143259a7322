"""The job ``nightly`` for spark-submit; the same as ``cqa nightly``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["nightly", *sys.argv[1:]]))
