"""Examples of nights: the answers of a question as they were on a night."""

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.table import Table, column

NIGHT_EXAMPLES = Table(
    "night_examples",
    "One row per night and answer. The query_id of a served night is the question's; that of a replayed night is "
    "followed by @ and the date of its cut. The thread_id is the question's in both.",
    (
        *EXAMPLES.columns,
        column("cut_at", "timestamp", "the time up to which the night knows events, UTC", nullable=False),
        column(
            "role",
            "string",
            "served: the night of the dump itself; measured: replayed, an answer of the night was accepted later; "
            "undecided: replayed, none was",
            nullable=False,
        ),
        column("age_days", "int", "midnights from the question to the cut", nullable=False),
        column("accepted", "boolean", "whether the asker accepted the answer, in the dump; null if none is accepted"),
        column("choice", "double", "weight with which the answer is the choice to learn, 0 to 1", nullable=False),
    ),
    key=EXAMPLES.key,
    partition_by=EXAMPLES.partition_by,
)
