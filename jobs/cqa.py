"""The command ``cqa`` for spark-submit, which takes a file: ``spark-submit … jobs/cqa.py NAME [options]``."""

import sys

from cqa_spark.cli import main

sys.exit(main())
