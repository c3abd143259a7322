"""Where the search engine put candidates and their threads."""

from dataclasses import replace
from math import log

import pyarrow as pa
import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.question.search_rank import SearchRankV1


def test_search_rank() -> None:
    given = {"T2_C1": 201, "T5_C1": 501, "T5_C2": 502, "T9_C1": 901}
    threads = [
        Thread("T2", "U1", [Said("U2", "one")]),
        Thread("T5", "U1", [Said("U2", "one"), Said("U3", "two")]),
        Thread("T9", "U1", [Said("U2", "one")]),
        Thread("Q", "U4", []),
    ]
    batch = batch_of(threads, [("Q", each, each[:2]) for each in given], task="external_comment")
    ranks = pa.array([given[each] for each in batch.column("candidate_id")], pa.int32())
    place = batch.examples.schema.get_field_index("initial_rank")
    ranked = replace(batch, examples=batch.examples.set_column(place, "initial_rank", ranks))
    found = {row["candidate_id"]: tuple(row.values())[2:] for row in values(SearchRankV1(), ranked)}
    assert found == {
        pair: pytest.approx(row, rel=1e-15)
        for pair, row in {
            "T2_C1": (log(201), 1, 1, log(1), 1, 1, log(201), 1, 1),
            "T5_C1": (log(501), 2, 1 / 2, log(2), 2, 1 / 2, log(501), 1, 1),
            "T5_C2": (log(502), 3, 1 / 3, log(3), 2, 1 / 2, log(501), 2, 1 / 2),
            "T9_C1": (log(901), 4, 1 / 4, log(4), 3, 1 / 3, log(901), 1, 1),
        }.items()
    }
