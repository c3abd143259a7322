"""Results of audits of as-of features."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import column

_ROWS_BY_COLUMN = T.MapType(T.StringType(), T.LongType())

AUDIT_FINDINGS = JournalTable(
    "audit_findings",
    "Effect on the values of feature groups if all events after a time are changed.",
    (
        column("feature_group", "string", "name of the group", nullable=False),
        column("moment", "timestamp", "time after which all events were changed, UTC", nullable=False),
        column("rows", "bigint", "rows compared", nullable=False),
        column("changed", _ROWS_BY_COLUMN, "rows whose value changed, by column", nullable=False),
        column("as_of_dump", _ROWS_BY_COLUMN, "the same for facts that are known as of the dump", nullable=False),
    ),
    key=("feature_group", "moment"),
)

AUDIT_EXPOSURES = JournalTable(
    "audit_exposures",
    "Numbers of pairs that reveal something about the time after their cut, whatever the features.",
    (
        column("pairs", "bigint", "pairs with a cut", nullable=False),
        column("late", "bigint", "pairs whose answer was posted after the cut", nullable=False),
        column("edited", "bigint", "pairs whose question or answer was edited after the cut", nullable=False),
        column("deleted", "bigint", "pairs whose asker or author has no account in the dump", nullable=False),
    ),
    key=("pairs",),
)
