"""Results of a nightly run: what changed, challenges, checks; and what orders are worth on replayed nights."""

from dataclasses import dataclass
from typing import Annotated

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.table import column, columns_of

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
    "The last paired tests of a retrained model, and of the model of a release, against the one that ranked, of this "
    "night or earlier ones.",
    (
        column("system", "string", "name of the system", nullable=False),
        column("run_id", "string", "run that trained the challenger", nullable=False),
        column("released", "boolean", "whether the challenger came with a release, instead of being retrained"),
        column("newest", T.DateType(), "date of the newest post that the challenger learned from"),
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


NIGHT_WORTH = JournalTable(
    "night_worth",
    "Values of orders on replayed nights, with errors by thread, or on labelled queries, with errors by query; "
    "differences are from the simple order of the task.",
    columns_of(Worth),
    key=("order", "population", "band", "measure"),
)

TRAINED_WORTH = JournalTable(
    "trained_worth",
    "What the system that nights rank with was worth when its model was trained: by the card of the model or, without "
    "one, on the first night that measured the model.",
    columns_of(Worth),
    key=NIGHT_WORTH.key,
)

SERVED_ORDERS = JournalTable(
    "served_orders",
    "The order that a night serves by site and age of the question; differences are the system's P@1 minus that of the "
    "simple order, pooled over the site's replayed nights and the figures in the card of the system's model.",
    (
        SITE,
        column("band", "string", "band of age", nullable=False),
        column("from_days", "bigint", "lowest age of the band, in days", nullable=False),
        column("below_days", "bigint", "the age that the band ends below; null for none"),
        column("order", "string", "name of the system whose order is served", nullable=False),
        column("simple_order", "string", "name of the simple order of the site", nullable=False),
        column("served", "string", "system or simple order: what is served", nullable=False),
        column(
            "verdict", "string", "system or simple order: what the figures of this night speak for; null without any"
        ),
        column("agreeing", "bigint", "successive nights, this one the last, that speak for the same", nullable=False),
        column("difference", "double", "the difference; null without evidence"),
        column("low", "double", "lower bound of its 95 % interval; null without evidence"),
        column("high", "double", "upper bound; null without evidence"),
        column("nights", "bigint", "number of replayed nights of the site", nullable=False),
        column("reason", "string", "why this order is served", nullable=False),
    ),
    key=("site", "band"),
)
