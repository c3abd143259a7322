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
        column(
            "byte_offset",
            "bigint",
            "offset of the record in its file, in bytes from 0; of a table, a number",
            nullable=False,
        ),
        column("reason", "string", "reason, one sentence", nullable=False),
        column("raw", "string", "the record's text, verbatim", nullable=False),
    ),
    key=("site", "source_file", "byte_offset"),
    partition_by=("site",),
)

ORPHANS = JournalTable(
    "orphans",
    "Dangling references: rows that refer to a row that is missing from the dump; they are kept, and counted here.",
    (
        SITE,
        column("table_name", "string", "table of the referring rows", nullable=False),
        column("reference", "string", "referring column, such as post_id", nullable=False),
        column("missing_in", "string", "table of the missing rows", nullable=False),
        column("rows", "bigint", "number of dangling references", nullable=False),
    ),
    key=("site", "table_name", "reference"),
)

INGESTED_FILES = JournalTable(
    "ingested_files",
    "Records per input file: rows_in = rows_out + rows_quarantined + rows_forgotten; lines, where counted, = rows_in + "
    "not_rows.",
    (
        SITE,
        SOURCE_FILE,
        SPLIT,
        column("table_name", "string", "the table that the file fills; null if it fills several"),
        column("lines", "bigint", "lines of the file; null if records are not lines"),
        column("not_rows", "bigint", "lines without a record: header, root tags, comments, blank lines"),
        column("is_complete", "boolean", "whether the file is complete; null if not checked"),
        column("rows_in", "bigint", "records found in the file", nullable=False),
        column("rows_out", "bigint", "records that became rows of the community tables", nullable=False),
        column("rows_quarantined", "bigint", "records that were quarantined", nullable=False),
        column("rows_forgotten", "bigint", "records left out because the lake has forgotten them; null for none"),
    ),
    key=("site", "source_file"),
)

FINGERPRINTS = JournalTable(
    "fingerprints",
    "The content of the files of dumps, and what read them; sites with equal ones are not read again.",
    (
        SITE,
        SOURCE_FILE,
        column("table_name", "string", "the table that the file fills", nullable=False),
        column("bytes", "bigint", "size of the file", nullable=False),
        column("modified_ns", "bigint", "last modification, nanoseconds since 1970; null for an object in a bucket"),
        column("content", "string", "SHA-256 of a local file, hexadecimal; entity tag of an object", nullable=False),
        column("reader", "string", "the code that read the file, and its settings", nullable=False),
    ),
    key=("site", "source_file"),
)

FAILED_SITES = JournalTable(
    "failed_sites",
    "Sites whose dump could not be read; their published rows stay.",
    (
        SITE,
        column("reason", "string", "the error", nullable=False),
    ),
    key=("site",),
)
