"""``python -m cqa_spark``: the command ``cqa``, for an interpreter whose scripts are not on the path."""

import sys

from cqa_spark.cli import main

if __name__ == "__main__":
    sys.exit(main())
