"""Similarity by runs of characters."""

from math import log, sqrt

import numpy as np
import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair

from cqa_spark.features.groups.similarity.character_similarity import CharacterSimilarityV1
from cqa_spark.text.characters import BUCKETS, CharacterRuns, count_runs

_NOTHING = CharacterRuns(np.zeros(BUCKETS), 0)


def test_runs_stay_inside_words() -> None:
    runs = count_runs(["Ab a", ""])
    # " a", "ab", "b ", " ab", "ab ", " ab ", and " a", "a ", " a ".
    assert (runs[0].sum(), runs[0].nnz, runs[1].nnz) == (9, 8, 0)
    assert runs[0].max() == 2


def test_rare_runs_weigh_more() -> None:
    holding = np.zeros(BUCKETS)
    holding[count_runs(["b"]).indices] = 3
    weights = CharacterRuns(holding, 3).weigh(["a b"])
    common, rare = 1.0, log(4) + 1
    length = sqrt(3 * common**2 + 3 * rare**2)
    assert sorted(weights.data) == pytest.approx([common / length] * 3 + [rare / length] * 3)


def test_texts_are_compared_in_lower_case() -> None:
    [found] = values(CharacterSimilarityV1(_NOTHING), pairs_of([Pair("Same", "", "SAME")]))
    assert found["query_cosine"] == pytest.approx(1.0)
    assert found["titles_cosine"] is None


def test_other_scripts_and_empty_texts() -> None:
    same, empty = values(CharacterSimilarityV1(_NOTHING), pairs_of([Pair("نعم", "", "نعم"), Pair("a", "", "")]))
    assert same["subject_cosine"] == pytest.approx(1.0)
    assert empty["query_cosine"] == 0.0
