"""The weights of terms."""

from math import log
from pathlib import Path

import pytest
from saved_folders import saved

from cqa_spark.text.terms import Collection

_COLLECTION = Collection({"a": 2, "b": 1}, documents=3, occurrences=4)


def test_weights_by_hand() -> None:
    found = _COLLECTION.weigh([["new", "a", "a"], [], ["b"]])
    idf_a, idf_b, idf_new = log(4 / 3) + 1, log(4 / 2) + 1, log(4 / 1) + 1
    slowed = 1.2 * (1 - 0.75 + 0.75 * 3 / (4 / 3))
    assert found.idf.toarray()[0] == pytest.approx([idf_a, 0, idf_new])
    assert found.tf_idf.toarray()[0] == pytest.approx([(1 + log(2)) * idf_a, 0, idf_new])
    assert found.bm25.toarray()[0] == pytest.approx(
        [log(1 + 1.5 / 2.5) * 2 * 2.2 / (2 + slowed), 0, log(1 + 3.5 / 0.5) * 2.2 / (1 + slowed)]
    )
    assert found.idf.toarray()[2] == pytest.approx([0, idf_b, 0])


def test_a_text_without_terms_and_a_text_that_is_not_there_have_empty_rows() -> None:
    found = _COLLECTION.weigh([["a"], []])
    assert found.tf_idf[[1, -1]].nnz == 0
    assert _COLLECTION.weigh([]).tf_idf[[-1]].nnz == 0


def test_a_collection_without_texts_weighs_all_terms_alike() -> None:
    assert Collection({}, 0, 0).weigh([["a", "b"], ["a"]]).idf.data.tolist() == [1.0, 1.0, 1.0]


def test_other_texts_change_no_digit() -> None:
    text = ["b", "new", "a", "b"]
    alone, beside = _COLLECTION.weigh([text]), _COLLECTION.weigh([["aa", "z"], text])
    assert alone.bm25[0].data.tolist() == beside.bm25[1].data.tolist()


def test_what_is_saved_is_what_is_read(tmp_path: Path) -> None:
    read = Collection.load(saved(_COLLECTION, tmp_path))
    assert (read.frequencies, read.documents, read.occurrences) == ({"a": 2, "b": 1}, 3, 4)
