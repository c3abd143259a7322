"""What orders of answers are worth on replayed nights."""

from cqa_spark.lake.journal import JournalTable
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
