"""Record counts of the files that were read, and quarantined records."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SOURCE_FILE, SPLIT
from cqa_spark.lake.table import Table, column

QUARANTINE = Table(
    "quarantine",
    "Records that could not be parsed, and training pairs that repeat another pair; never dropped.",
    (
        SITE,
        SOURCE_FILE,
        column("byte_offset", "bigint", "where the record starts in its file, in bytes from 0", nullable=False),
        column("reason", "string", "why it was refused, one sentence", nullable=False),
        column("raw", "string", "the record's text, verbatim", nullable=False),
    ),
    key=("site", "source_file", "byte_offset"),
    partition_by=("site",),
)

ORPHANS = JournalTable(
    "orphans",
    "Rows that point to a row which the dump lacks; they are kept where they are, and counted here.",
    (
        SITE,
        column("table_name", "string", "table of the rows that point", nullable=False),
        column("reference", "string", "their column that points, such as post_id", nullable=False),
        column("missing_in", "string", "table that lacks what they point to", nullable=False),
        column("rows", "bigint", "rows that point to nothing", nullable=False),
    ),
    key=("site", "table_name", "reference"),
)

INGESTED_FILES = JournalTable(
    "ingested_files",
    "Records per input file: rows_in = rows_out + rows_quarantined; lines, where counted, = rows_in + not_rows.",
    (
        SITE,
        SOURCE_FILE,
        SPLIT,
        column("table_name", "string", "the one table that the file fills; null where it fills several"),
        column("lines", "bigint", "lines of the file; null where records are not lines"),
        column("not_rows", "bigint", "lines without a record: header, root tags, comments, blank lines"),
        column("is_complete", "boolean", "whether the file ends as it should; null where that is not checked"),
        column("rows_in", "bigint", "records found in the file", nullable=False),
        column("rows_out", "bigint", "records that became rows of the community tables", nullable=False),
        column("rows_quarantined", "bigint", "records that went to quarantine", nullable=False),
    ),
    key=("site", "source_file"),
)

ID_BLOCKS = Table(
    "id_blocks",
    "Digests of dump files by blocks of ids, which show what lines of the next dump have to be read.",
    (
        SITE,
        column("table_name", "string", "table that the file fills", nullable=False),
        column("block", "bigint", "the rows' ids without their last 8 bits; null for lines that name no id"),
        column("lines", "bigint", "lines of the block", nullable=False),
        column("digest", "bigint", "64-bit hashes of the lines, joined by exclusive or", nullable=False),
    ),
    key=("site", "table_name", "block"),
    partition_by=("site",),
)
