"""Results of a nightly run: what changed, challenges, checks, and the orders that are served."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.table import column, required

CHANGES: JournalTable = JournalTable(
    "changes",
    "Rows of the tables of each site that changed since the previously published run.",
    (
        SITE,
        required("table_name", "string", "the table"),
        required("rows_before", "bigint", "rows in the published run"),
        required("rows", "bigint", "rows in this run"),
    ),
    key=("site", "table_name"),
)

CHECKS: JournalTable = JournalTable(
    "checks",
    "The verdicts on the run before it was published.",
    (
        required("check", "string", "name of the check"),
        required("passed", "boolean", "whether the run may be published"),
        column("measured", "double", "value compared with the limit; null if nothing was compared"),
        required("limit", "double", "the limit, from the settings"),
        required("reason", "string", "what was measured, in words"),
    ),
    key=("check",),
)

FIRST_ANSWERS: JournalTable = JournalTable(
    "first_answers",
    "Some of the queries whose order begins with another candidate than in the published run.",
    (
        SITE,
        TASK,
        QUERY_ID,
        required("before", "string", "first candidate in the published run"),
        required("after", "string", "first candidate in this run"),
        required("order_before", "string", "system whose order the published run serves"),
        required("order_after", "string", "system whose order this run serves"),
        required("changed", "bigint", "number of all such queries"),
    ),
    key=("site", "task", "query_id"),
)

CHALLENGES: JournalTable = JournalTable(
    "challenges",
    "The last paired tests of a retrained model, and of the model of a release, against the one that ranked, of this "
    "night or earlier ones.",
    (
        required("system", "string", "name of the system"),
        required("run_id", "string", "run that trained the challenger"),
        column("released", "boolean", "whether the challenger came with a release, instead of being retrained"),
        column("newest", T.DateType(), "date of the newest post that the challenger learned from"),
        required("champion", "string", "run that trained the model that ranked before"),
        required("champion_labels", "bigint", "threads with a label that it had learned from"),
        required("labels", "bigint", "threads with a label that the challenger learned from"),
        required("difference", "double", "P@1 of the challenger minus that of the champion, out of fold"),
        required("low", "double", "lower bound of its 95 % interval"),
        required("high", "double", "upper bound"),
        required("p_value", "double", "two-sided, of no difference"),
        required("queries", "bigint", "number of labelled queries"),
        required("threads", "bigint", "number of their threads"),
        required("won", "boolean", "whether the challenger ranks from then on"),
    ),
    key=("system", "run_id"),
)


SERVED_ORDERS: JournalTable = JournalTable(
    "served_orders",
    "The order that a night serves by site and age of the question; differences are the system's P@1 minus that of the "
    "best simple order: by the site's own replayed nights, as other sites of the model's card let expect, and by both.",
    (
        SITE,
        required("band", "string", "band of age"),
        required("from_days", "bigint", "lowest age of the band, in days"),
        column("below_days", "bigint", "the age that the band ends below; null for none"),
        required("order", "string", "name of the system whose order is served"),
        required("simple_order", "string", "name of the best simple order"),
        column("verdict", "string", "name of the order that the figures of this night speak for; null without any"),
        required("agreeing", "bigint", "successive nights, this one the last, that speak for the same"),
        column("difference", "double", "the difference by all evidence; null without any"),
        column("low", "double", "lower bound of its 95 % interval; null without evidence"),
        column("high", "double", "upper bound; null without evidence"),
        column("own_difference", "double", "the difference on the site's own nights; null with too few threads"),
        column("own_low", "double", "lower bound of its 95 % interval; null with too few threads"),
        column("own_high", "double", "upper bound; null with too few threads"),
        column("others_difference", "double", "the difference that other sites let expect; null without any"),
        column("others_low", "double", "lower bound of its 95 % interval; null without other sites"),
        column("others_high", "double", "upper bound; null without other sites"),
        required("nights", "bigint", "number of replayed nights of the site"),
        required("threads", "bigint", "number of their threads"),
        required("reason", "string", "why this order is served"),
    ),
    key=("site", "band"),
)
