"""The job ``ingest`` for spark-submit; the same as ``cqa ingest``."""

import sys

from cqa_spark.cli import main

sys.exit(main(["ingest", *sys.argv[1:]]))
