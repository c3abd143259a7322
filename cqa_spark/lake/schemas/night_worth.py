"""What orders of answers are worth on replayed nights, and which of them is served."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.table import column

NIGHT_WORTH = JournalTable(
    "night_worth",
    "Values of orders on replayed nights, as fractions; errors are by thread, differences are from the simple order.",
    (
        column("order", "string", "name of the order: a system, or a simple order", nullable=False),
        column("population", "string", "nights, or nights weighted to the ages of served threads", nullable=False),
        column("band", "string", "all, or a band of age or of votes", nullable=False),
        column("measure", "string", "name of the measure", nullable=False),
        column("value", "double", "the mean over nights", nullable=False),
        column("low", "double", "lower bound of its 95 % interval", nullable=False),
        column("high", "double", "upper bound", nullable=False),
        column("difference", "double", "the value minus that of the simple order", nullable=False),
        column("low_difference", "double", "lower bound of its 95 % interval", nullable=False),
        column("high_difference", "double", "upper bound", nullable=False),
        column("p_value", "double", "two-sided, of no difference", nullable=False),
        column("nights", "bigint", "number of nights", nullable=False),
        column("threads", "bigint", "number of threads", nullable=False),
    ),
    key=("order", "population", "band", "measure"),
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
