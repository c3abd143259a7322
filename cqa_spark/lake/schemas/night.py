"""Results of a nightly run: the changes in the dump, and the checks before publishing."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, EXAMPLES, QUERY_ID, TASK
from cqa_spark.lake.table import Table, column

CHANGES = JournalTable(
    "changes",
    "Rows of each table that were added, removed or changed since the previously published run.",
    (
        SITE,
        column("table_name", "string", "the table", nullable=False),
        column("change", "string", "new, gone or changed", nullable=False),
        column("rows", "bigint", "number of rows", nullable=False),
    ),
    key=("site", "table_name", "change"),
)

AFFECTED = Table(
    "affected",
    "Examples whose features may be affected by changes; other examples keep their features.",
    (
        SITE,
        TASK,
        QUERY_ID,
        CANDIDATE_ID,
        column(
            "reach",
            "int",
            "smallest reach of the affected feature groups: 1 the thread, 2 the author's history up to the cut, "
            "3 the author",
            nullable=False,
        ),
    ),
    key=EXAMPLES.key,
)

CHECKS = JournalTable(
    "checks",
    "The verdicts on the run before it was published.",
    (
        column("check", "string", "name of the check", nullable=False),
        column("passed", "boolean", "whether the run may be published", nullable=False),
        column("measured", "double", "value compared with the limit", nullable=False),
        column("limit", "double", "the limit, from the settings", nullable=False),
        column("reason", "string", "what was measured, in words", nullable=False),
    ),
    key=("check",),
)
