"""The job ``reproduce`` for spark-submit; the same as ``cqa reproduce``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["reproduce", *sys.argv[1:]]))
