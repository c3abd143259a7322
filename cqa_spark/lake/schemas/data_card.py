"""Statistics of a data set."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import column

DATA_CARD = JournalTable(
    "data_card",
    "Statistics of the data set formed by the run's examples.",
    (
        column("site", "string", "community; * for all of them together", nullable=False),
        column("split", "string", "train, dev or test; * for all of them, and for omitted threads", nullable=False),
        column(
            "measure",
            "string",
            "what was counted, such as questions; left_out: … are threads; shares are of the answers, and those "
            "whose name starts with accepted of the accepted ones",
            nullable=False,
        ),
        column("value", "double", "the count, or the share from 0 to 1", nullable=False),
    ),
    key=("site", "split", "measure"),
)
