"""Record counts of the files that were read, and quarantined records."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SOURCE_FILE, SPLIT
from cqa_spark.lake.table import SiteTable, column, required

QUARANTINE: SiteTable = SiteTable(
    "quarantine",
    "Records that could not be parsed, and training pairs that repeat another pair; never dropped.",
    (
        SITE,
        SOURCE_FILE,
        required("byte_offset", "bigint", "offset of the record in its file, in bytes from 0; of a table, a number"),
        required("reason", "string", "reason, one sentence"),
        required("raw", "string", "the record's text, verbatim"),
    ),
    key=("site", "source_file", "byte_offset"),
)

ORPHANS: JournalTable = JournalTable(
    "orphans",
    "Dangling references: rows that refer to a row that is missing from the dump; they are kept, and counted here.",
    (
        SITE,
        required("table_name", "string", "table of the referring rows"),
        required("reference", "string", "referring column, such as post_id"),
        required("missing_in", "string", "table of the missing rows"),
        required("rows", "bigint", "number of dangling references"),
    ),
    key=("site", "table_name", "reference"),
)

INGESTED_FILES: JournalTable = JournalTable(
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
        required("rows_in", "bigint", "records found in the file"),
        required("rows_out", "bigint", "records that became rows of the community tables"),
        required("rows_quarantined", "bigint", "records that were quarantined"),
        column("rows_forgotten", "bigint", "records left out because the lake has forgotten them; null for none"),
    ),
    key=("site", "source_file"),
)

FINGERPRINTS: JournalTable = JournalTable(
    "fingerprints",
    "The content of the files of dumps, and what read them; sites with equal ones are not read again.",
    (
        SITE,
        SOURCE_FILE,
        required("table_name", "string", "the table that the file fills"),
        required("bytes", "bigint", "size of the file"),
        column("modified_ns", "bigint", "last modification, nanoseconds since 1970; null for an object in a bucket"),
        required(
            "content", "string", "SHA-256 of a local file, hexadecimal; entity tag of an object; hash of a query's rows"
        ),
        required("reader", "string", "the code that read the file, and its settings"),
        column("watermark", "string", "where the next reading of a query of a database starts; null for files"),
    ),
    key=("site", "source_file"),
)

FAILED_SITES: JournalTable = JournalTable(
    "failed_sites",
    "Sites whose dump could not be read; their published rows stay.",
    (
        SITE,
        required("reason", "string", "the error"),
    ),
    key=("site",),
)
