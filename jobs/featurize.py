"""The job ``featurize`` for spark-submit; the same as ``cqa featurize``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["featurize", *sys.argv[1:]]))
