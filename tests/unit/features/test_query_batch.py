"""Values of whole queries in memory: one row per example, and none from a model that saw the example's label."""

from collections.abc import Mapping
from dataclasses import replace
from math import log

import numpy as np
import pyarrow as pa
import pytest
from literal_batches import batch_of, in_folds, values
from literal_threads import Said, Thread
from numpy.typing import ArrayLike

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_pass import values_of
from cqa_spark.features.training_data import Fitted
from cqa_spark.tasks.external_comment import DirectScoreV1, PathScoresV1, RankedPathV1

THREADS = [Thread(f"Q{n}", "U9", [Said("U7", "a b"), Said("U8", "c")], question=f"what {n}") for n in range(3)]


class Constant(QueryGroup):
    """Gives every example one number."""

    name = "constant_v1"
    family = "test"
    about = "a number"
    entity = Entity.PAIR
    columns = (FeatureColumn("number", "the number", "ours"),)

    def __init__(self, number: float) -> None:
        self._number = number

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        return {"number": np.full(len(batch), self._number)}


class Misnamed(Constant):
    """Computes another column than it declares."""

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        return {"numbers": np.zeros(len(batch))}


class TooFew(Constant):
    """Gives one value for all examples."""

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        return {"number": [1.0]}


def _in_folds(*folds: int) -> QueryBatch:
    return in_folds(batch_of(THREADS), np.repeat(folds, 2).tolist())


def test_a_training_example_gets_the_values_of_the_model_without_its_fold() -> None:
    group = Fitted(Constant(9.0), (Constant(0.5), Constant(1.5)))
    values = values_of({"constant_v1": group}, _in_folds(1, 0, -1))
    assert values["constant_v1"].tolist() == [[1.5], [1.5], [0.5], [0.5], [9.0], [9.0]]


def test_a_group_that_learns_no_labels_has_one_model_for_all() -> None:
    values = values_of({"constant_v1": Fitted(Constant(9.0))}, _in_folds(1, 0, -1))
    assert values["constant_v1"].tolist() == [[9.0]] * 6


def test_a_group_that_computes_other_columns_than_it_declares_is_refused() -> None:
    with pytest.raises(ContractError, match="computed and declared columns differ: number, numbers"):
        values_of({"constant_v1": Fitted(Misnamed(1))}, batch_of(THREADS))


def test_a_group_that_does_not_give_a_value_per_example_is_refused() -> None:
    with pytest.raises(ContractError, match="one value per example"):
        values_of({"constant_v1": Fitted(TooFew(1))}, batch_of(THREADS))


def test_a_batch_names_texts_comments_and_posts_by_index() -> None:
    batch = batch_of(THREADS)
    texts = batch.texts.raw
    assert [texts[place] for place in batch.query_text] == ["what 0", "what 0", "what 1", "what 1", "what 2", "what 2"]
    assert [texts[place] for place in batch.candidate_text] == ["a b", "c"] * 3
    assert set(batch.subject_text.tolist()) == {ABSENT}
    assert [batch.thread_comments.ids[place] for place in batch.comment] == batch.column("candidate_id")
    assert batch.thread_comments.threads == [slice(0, 2), slice(2, 4), slice(4, 6)]


def test_fewer_examples_share_texts_and_comments() -> None:
    batch = batch_of(THREADS)
    fewer = batch.keep(np.array([False, False, True, False, False, False]))
    assert fewer.column("candidate_id") == ["Q1_C1"]
    assert fewer.thread_comments is batch.thread_comments
    assert fewer.comment.tolist() == [2]


# Scores of upstream systems on the way to a comment.

A, B, C = "question_comment", "question_question", "external_comment"


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[float | None, ...]]:
    threads = [
        Thread("T5", "U1", [Said("U2", "one"), Said("U3", "two")]),
        Thread("T2", "U1", [Said("U2", "one")]),
        Thread("T9", "U1", [Said("U2", "one")]),
        Thread("Q", "U4", []),
    ]
    examples = [("Q", f"{thread}_C{place}", thread) for thread, place in (("T5", 1), ("T5", 2), ("T2", 1), ("T9", 1))]
    steps = [
        (A, "T5", "T5_C1", 0.5), (A, "T5", "T5_C2", 0.8), (A, "T2", "T2_C1", 0.0),
        (B, "Q", "T5", 0.4), (B, "Q", "T2", 0.9),
    ]  # fmt: skip
    scores = [
        {"query_post_id": "Q", "task": task, "of_query": query, "candidate_id": candidate, "score": score}
        for task, query, candidate, score in steps
    ]
    rows = values(PathScoresV1(), batch_of(threads, examples, task=C, scores=scores))
    return {row["candidate_id"]: tuple(row.values())[2:] for row in rows}


def test_probabilities_of_both_steps_and_their_places(found) -> None:
    to_first, to_thread = log(0.5), log(0.4)
    assert found["T5_C1"] == pytest.approx(
        (to_first, to_thread, to_first + to_thread, to_first + 2 * to_thread, 0.2, 2, 2, to_thread - log(0.9),
         to_first - log(0.8))
    )  # fmt: skip


def test_a_probability_of_nothing_is_not_the_logarithm_of_nothing(found) -> None:
    assert found["T2_C1"] == pytest.approx(
        (log(1e-6), log(0.9), log(1e-6) + log(0.9), log(1e-6) + 2 * log(0.9), 0, 1, 1, 0, 0)
    )


def test_the_direct_score_is_that_of_the_query_itself() -> None:
    threads = [Thread("T", "U1", [Said("U2", text) for text in ("one", "two", "three")]), Thread("Q", "U4", [])]
    scores = [
        {"query_post_id": "Q", "task": task, "of_query": query, "candidate_id": candidate, "score": score}
        for task, query, candidate, score in [
            (A, "Q", "T_C1", 0.5), (A, "Q", "T_C2", 0.25), (A, "T", "T_C1", 0.9), (A, "T", "T_C3", 0.9),
            (B, "Q", "T", 0.7),
        ]
    ]  # fmt: skip
    batch = batch_of(threads, [("Q", f"T_C{place}", "T") for place in (1, 2, 3)], task=C, scores=scores)
    found = [tuple(row.values())[2:] for row in values(DirectScoreV1(), batch)]
    assert found == [(log(0.5), 0.0), (log(0.25), log(0.25) - log(0.5)), (None, None)]


def test_what_replaces_values_that_are_not_known() -> None:
    assert {column.name: column.missing for column in PathScoresV1.columns} == {
        "log_comment": -3, "log_question": -3, "log_path": -6, "log_path_twice": -9, "product": 0,
        "comment_place": 5, "question_place": 5, "question_relative": -3, "comment_relative": -3,
    }  # fmt: skip
    others = [{column.name: column.missing for column in group.columns} for group in (DirectScoreV1, RankedPathV1)]
    assert others == [{"log_probability": -3, "relative": -3}, {"product": 0}]


def test_what_no_system_has_scored_is_not_known(found) -> None:
    assert set(found["T9_C1"]) == {None}


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
    return replace(batch, examples=given, _shared={})


def test_a_score_is_divided_by_the_rank_that_the_search_engine_gave_the_thread(batch: QueryBatch) -> None:
    found = [row["product"] for row in values(RankedPathV1(), ranked(batch, [203, 901, 1001]))]
    assert found == [pytest.approx(0.4 / 2), pytest.approx(0.9 / 9), None]


def test_a_thread_without_a_rank_of_its_own_counts_as_first(batch: QueryBatch) -> None:
    assert values(RankedPathV1(), ranked(batch, [3, 1, 2]))[0]["product"] == pytest.approx(0.4)
