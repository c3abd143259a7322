"""The job ``runs`` for spark-submit; the same as ``cqa runs``: publish, rollback and gc on the storage of a cluster."""

import sys

from cqa_spark.cli import main

sys.exit(main(["runs", *sys.argv[1:]]))
