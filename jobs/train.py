"""The job ``train`` for spark-submit; the same as ``cqa train``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["train", *sys.argv[1:]]))
