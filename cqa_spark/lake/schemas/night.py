"""Results of a nightly run: what changed, challenges, checks; and what orders are worth on replayed nights."""

from dataclasses import dataclass
from typing import Annotated

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.table import column, columns_of, required

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


@dataclass(frozen=True)
class Worth:
    """A measure of an order in a band of a population, as a fraction; differences are from a simple order.

    With a single thread, the interval of the difference is infinite and the p-value is 1.
    """

    order: Annotated[str, "name of the order: a system, or a simple order"]
    population: Annotated[
        str,
        "replayed nights, these weighted to the ages of served threads, or the last of each thread; of a task without "
        "replayed nights, the split of its labelled queries",
    ]
    band: Annotated[str, "all, or a band of age or of votes"]
    measure: Annotated[str, "name of the measure"]
    value: Annotated[float, "the measure over all nights"]
    low: Annotated[float, "lower bound of its 95 % interval"]
    high: Annotated[float, "upper bound"]
    difference: Annotated[float, "the value minus that of the simple order"]
    low_difference: Annotated[float, "lower bound of its 95 % interval"]
    high_difference: Annotated[float, "upper bound"]
    p_value: Annotated[float, "two-sided, of no difference"]
    nights: Annotated[int, "number of nights; of a task without replayed nights, of queries"]
    threads: Annotated[int, "number of threads that these are of"]


NIGHT_WORTH: JournalTable = JournalTable(
    "night_worth",
    "Values of orders on replayed nights, with errors by thread, or on labelled queries, with errors by query; "
    "differences are from the simple order of the task.",
    columns_of(Worth),
    key=("order", "population", "band", "measure"),
)

TRAINED_WORTH: JournalTable = JournalTable(
    "trained_worth",
    "What the system that nights rank with was worth when its model was trained: by the card of the model or, without "
    "one, on the first night that measured the model.",
    columns_of(Worth),
    key=NIGHT_WORTH.key,
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
