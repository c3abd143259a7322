"""Values of whole queries in memory: one row per example, and none from a model that saw the example's label."""

from collections.abc import Mapping

import numpy as np
import pytest
from literal_batches import batch_of, in_folds
from literal_threads import Said, Thread
from numpy.typing import ArrayLike

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_pass import values_of
from cqa_spark.features.training_data import Fitted

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
    assert [batch.comments.ids[place] for place in batch.comment] == batch.column("candidate_id")
    assert batch.comments.threads == [slice(0, 2), slice(2, 4), slice(4, 6)]


def test_fewer_examples_share_texts_and_comments() -> None:
    batch = batch_of(THREADS)
    fewer = batch.keep(np.array([False, False, True, False, False, False]))
    assert fewer.column("candidate_id") == ["Q1_C1"]
    assert fewer.comments is batch.comments
    assert fewer.comment.tolist() == [2]
