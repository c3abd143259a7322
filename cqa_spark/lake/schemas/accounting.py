"""What was read, and what could not be understood."""

from cqa_spark.lake.schemas.community import SITE, SOURCE_FILE, SPLIT
from cqa_spark.lake.table import Table, column

QUARANTINE = Table(
    "quarantine",
    "Records that could not be understood; never dropped.",
    (
        SITE,
        SOURCE_FILE,
        column("byte_offset", "bigint", "where the record starts in its file, in bytes from 0", nullable=False),
        column("reason", "string", "why it was refused, one sentence", nullable=False),
        column("raw", "string", "the record's text as it stands in the file", nullable=False),
    ),
    key=("site", "source_file", "byte_offset"),
    partition_by=("site",),
)

INGESTED_FILES = Table(
    "ingested_files",
    "Records per input file: rows_in = rows_out + rows_quarantined.",
    (
        SITE,
        SOURCE_FILE,
        SPLIT,
        column("rows_in", "bigint", "records found in the file", nullable=False),
        column("rows_out", "bigint", "records that became rows of the community tables", nullable=False),
        column("rows_quarantined", "bigint", "records that went to quarantine", nullable=False),
    ),
    key=("site", "source_file"),
    partition_by=("site",),
)
