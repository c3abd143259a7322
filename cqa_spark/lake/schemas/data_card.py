"""What a data set consists of, in figures."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import column

DATA_CARD = JournalTable(
    "data_card",
    "Figures of the data set that the run's examples make up.",
    (
        column("site", "string", "community; * for all of them together", nullable=False),
        column("split", "string", "train, dev or test; * for all of them, and for what was left out", nullable=False),
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
