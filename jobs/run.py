"""The job ``run`` for spark-submit; the same as ``cqa run``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["run", *sys.argv[1:]]))
