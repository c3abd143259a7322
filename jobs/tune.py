"""The job ``tune`` for spark-submit; the same as ``cqa tune``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["tune", *sys.argv[1:]]))
