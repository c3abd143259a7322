"""Retrained models that challenged the one that ranked."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import column

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
