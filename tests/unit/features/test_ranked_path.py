"""Scores below the own question, by the rank of the thread."""

import pyarrow as pa
import pytest
from literal_batches import Said, Thread, batch_of, values

from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.tasks.external_comment.ranked_path import RankedPathV1

A = "question_comment"


@pytest.fixture(scope="module")
def batch() -> QueryBatch:
    threads = [Thread("Q", "U4", []), *(Thread(name, "U1", [Said("U2", "one")]) for name in ("T1", "T2", "T3"))]
    scores = [
        {"query_post_id": "Q", "task": A, "of_query": thread, "candidate_id": f"{thread}_C1", "score": score}
        for thread, score in (("T1", 0.4), ("T2", 0.9))
    ]
    examples = [("Q", f"{thread}_C1", thread) for thread in ("T1", "T2", "T3")]
    return batch_of(threads, examples, task="external_comment", scores=scores)


def ranked(batch: QueryBatch, ranks: list[int]) -> QueryBatch:
    place = batch.examples.schema.get_field_index("initial_rank")
    given = batch.examples.set_column(place, "initial_rank", pa.array(ranks, pa.int32()))
    return QueryBatch(given, batch.posts, batch.said, batch.documents, batch.analysed, batch.scores, batch.votes)


def test_a_score_is_divided_by_the_rank_that_the_search_engine_gave_the_thread(batch: QueryBatch) -> None:
    found = [row["product"] for row in values(RankedPathV1(), ranked(batch, [203, 901, 1001]))]
    assert found == [pytest.approx(0.4 / 2), pytest.approx(0.9 / 9), None]


def test_a_thread_without_a_rank_of_its_own_counts_as_first(batch: QueryBatch) -> None:
    assert values(RankedPathV1(), ranked(batch, [3, 1, 2]))[0]["product"] == pytest.approx(0.4)
