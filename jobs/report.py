"""The job ``report`` for spark-submit; the same as ``cqa report``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["report", *sys.argv[1:]]))
