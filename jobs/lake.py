"""The job ``lake`` for spark-submit; the same as ``cqa lake``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["lake", *sys.argv[1:]]))
