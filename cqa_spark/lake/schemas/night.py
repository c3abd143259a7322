"""Results of a nightly run: the changes in the dump, and the checks before publishing."""

from pyspark.sql import types as T

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

CHANGED_ROWS = Table(
    "changed_rows",
    "Rows of community tables that are new, gone or changed in a column that features read, as they are in each "
    "version that has them. Columns that a table lacks are null.",
    (
        SITE,
        column("table_name", "string", "the table", nullable=False),
        column("change", "string", "new, gone or changed", nullable=False),
        column("post_id", "string", "the post, or that of a comment or vote"),
        column("thread_id", "string", "thread of a post"),
        column("user_id", "string", "account, or that of a post, comment or badge"),
        column("post_type", "string", "question, answer or another type of post"),
        column("created_at", "timestamp", "time of the row, UTC"),
        column("tags", T.ArrayType(T.StringType()), "tags of a question"),
        column("accepted_answer_id", "string", "answer that the asker of a question accepted"),
        column("vote_type_id", "int", "type of a vote"),
        column("earned_at", "timestamp", "time of a badge, UTC"),
    ),
    key=(),
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
        column("measured", "double", "value compared with the limit; null if nothing was compared"),
        column("limit", "double", "the limit, from the settings", nullable=False),
        column("reason", "string", "what was measured, in words", nullable=False),
    ),
    key=("check",),
)
