"""Results of a nightly run: what changed, the retrained models that challenged others, and the checks."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.table import column

CHANGES = JournalTable(
    "changes",
    "Rows of the tables of each site that changed since the previously published run.",
    (
        SITE,
        column("table_name", "string", "the table", nullable=False),
        column("rows_before", "bigint", "rows in the published run", nullable=False),
        column("rows", "bigint", "rows in this run", nullable=False),
    ),
    key=("site", "table_name"),
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

FIRST_ANSWERS = JournalTable(
    "first_answers",
    "Some of the queries whose order begins with another candidate than in the published run.",
    (
        SITE,
        TASK,
        QUERY_ID,
        column("before", "string", "first candidate in the published run", nullable=False),
        column("after", "string", "first candidate in this run", nullable=False),
        column("order_before", "string", "system whose order the published run serves", nullable=False),
        column("order_after", "string", "system whose order this run serves", nullable=False),
        column("changed", "bigint", "number of all such queries", nullable=False),
    ),
    key=("site", "task", "query_id"),
)

CHALLENGES = JournalTable(
    "challenges",
    "The last paired test of a retrained model against the one that ranked, by system; of this night or an earlier "
    "one.",
    (
        column("system", "string", "name of the system", nullable=False),
        column("run_id", "string", "run that trained the challenger", nullable=False),
        column("champion", "string", "run that trained the model that ranked before", nullable=False),
        column("champion_labels", "bigint", "threads with a label that it had learned from", nullable=False),
        column("labels", "bigint", "threads with a label that the challenger learned from", nullable=False),
        column("difference", "double", "P@1 of the challenger minus that of the champion, out of fold", nullable=False),
        column("low", "double", "lower bound of its 95 % interval", nullable=False),
        column("high", "double", "upper bound", nullable=False),
        column("p_value", "double", "two-sided, of no difference", nullable=False),
        column("queries", "bigint", "number of labelled queries", nullable=False),
        column("threads", "bigint", "number of their threads", nullable=False),
        column("won", "boolean", "whether the challenger ranks from then on", nullable=False),
    ),
    key=("system",),
)
