"""The job ``score`` for spark-submit; the same as ``cqa score``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["score", *sys.argv[1:]]))
