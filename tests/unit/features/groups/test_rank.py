"""Ranks by the search engine and by retrieval methods."""

from dataclasses import replace
from math import log

import pyarrow as pa
import pytest
from literal_batches import batch_of
from literal_batches import values as values_by_row
from literal_threads import SITE, Said, Thread

from cqa_spark.features.groups.rank import RetrievalV1, SearchRankV1


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
    found = {row["candidate_id"]: tuple(row.values())[2:] for row in values_by_row(SearchRankV1(), ranked)}
    assert found == {
        pair: pytest.approx(row, rel=1e-15)
        for pair, row in {
            "T2_C1": (log(201), 1, 1, log(1), 1, 1, log(201), 1, 1),
            "T5_C1": (log(501), 2, 1 / 2, log(2), 2, 1 / 2, log(501), 1, 1),
            "T5_C2": (log(502), 3, 1 / 3, log(3), 2, 1 / 2, log(501), 2, 1 / 2),
            "T9_C1": (log(901), 4, 1 / 4, log(4), 3, 1 / 3, log(901), 1, 1),
        }.items()
    }


def test_scores_and_ranks_of_retrieval() -> None:
    retrieved = {
        "site": [SITE] * 2, "query_post_id": ["9", "9"], "candidate_id": ["2", "1"], "bm25": [2.0, 4.0],
        "bm25_rank": [2, 1], "cosine": pa.array([0.5, None], pa.float64()),
        "cosine_rank": pa.array([7, None], pa.int32()),
    }  # fmt: skip
    threads = [Thread("1", "u", []), Thread("2", "v", []), Thread("9", "u", [])]
    batch = batch_of(threads, [("9", "1", "1"), ("9", "2", "2")], task="duplicate")
    values = RetrievalV1().compute(replace(batch, retrieved=pa.table(retrieved)))
    assert values["bm25"].tolist() == [4.0, 2.0]
    assert values["bm25_of_best"].tolist() == [1.0, 0.5]
    assert values["bm25_reciprocal_rank"].tolist() == [1 / 61, 1 / 62]
    assert values["cosine"].tolist() == [0.5, 0.5]  # not retrieved: at most that of the last one
    assert values["cosine_reciprocal_rank"].tolist() == [0.0, 1 / 67]
    assert values["cosine_log_rank"].tolist() == pytest.approx([log(1000), log(7)])
