"""Similarity by terms that are weighed by their rarity."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path

import pytest
from literal_pairs import Pair, pairs_of
from pyspark.sql import Row, SparkSession
from saved_folders import reloaded_group

from cqa_spark.errors import ContractError
from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.groups.thread.term_similarity import TermSimilarityV1
from cqa_spark.features.inputs import FeatureInputs

_PAIRS = (
    Pair("visa", "visa cost", "cost of visa"),
    Pair("school", "", "no idea"),
    Pair("visa", "", ""),
    Pair("visa of", "", "visa strange", split="dev"),
)


def _values(group: TermSimilarityV1, inputs: FeatureInputs) -> dict[str, Row]:
    return {row.query_id: row for row in compute_values(group, inputs).collect()}


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    return pairs_of(spark, _PAIRS)


@pytest.fixture(scope="module")
def fitted(inputs: FeatureInputs) -> TermSimilarityV1:
    return TermSimilarityV1().fit(inputs)


def test_only_training_texts_are_counted(fitted: TermSimilarityV1) -> None:
    # The texts: "visa\nvisa cost", "cost of visa", "school\n", "no idea", "visa\n", "".
    counts = {row.term: row.document_frequency for row in fitted.collection.frequencies.collect()}
    assert counts == {"visa": 3, "cost": 2, "of": 1, "school": 1, "no": 1, "idea": 1}
    assert [tuple(row) for row in fitted.collection.size.collect()] == [(6, 10)]


def test_values_by_hand(fitted: TermSimilarityV1, inputs: FeatureInputs) -> None:
    found = _values(fitted, inputs)["Q1"]
    visa, cost, of = (log(7 / (1 + holding)) + 1 for holding in (3, 2, 1))
    twice = 1 + log(2)
    said = sqrt(cost**2 + of**2 + visa**2)
    assert found.query_cosine == pytest.approx(
        (cost**2 + twice * visa**2) / (sqrt(cost**2 + (twice * visa) ** 2) * said)
    )
    assert found.subject_cosine == pytest.approx(visa / said)
    assert found.query_covered == found.subject_covered == 1.0
    saturation = 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / (10 / 6)))
    bm25_visa, bm25_cost = (log(1 + (6 - holding + 0.5) / (holding + 0.5)) * saturation for holding in (3, 2))
    assert found.query_bm25 == pytest.approx(bm25_visa + bm25_cost)
    assert found.subject_bm25 == pytest.approx(bm25_visa)


def test_nothing_shared_is_nothing(fitted: TermSimilarityV1, inputs: FeatureInputs) -> None:
    found = _values(fitted, inputs)
    for query_id in ("Q2", "Q3"):
        assert {found[query_id][column.name] for column in TermSimilarityV1.columns} == {0.0}


def test_a_term_that_training_lacks_is_the_rarest(fitted: TermSimilarityV1, inputs: FeatureInputs) -> None:
    visa, of, strange = (log(7 / (1 + holding)) + 1 for holding in (3, 1, 0))
    found = _values(fitted, inputs)["Q4"]
    assert found.query_covered == pytest.approx(visa / (visa + of))
    assert found.query_cosine == pytest.approx(visa**2 / (sqrt(visa**2 + of**2) * sqrt(visa**2 + strange**2)))


def test_what_is_saved_is_what_is_read(fitted: TermSimilarityV1, inputs: FeatureInputs, tmp_path: Path) -> None:
    assert _values(reloaded_group(fitted, tmp_path), inputs) == _values(fitted, inputs)


def test_a_group_that_is_not_fitted_says_so(inputs: FeatureInputs) -> None:
    with pytest.raises(ContractError, match="term_similarity_v1 is not fitted"):
        TermSimilarityV1().compute(inputs)


def test_the_number_of_partitions_changes_no_digit(spark: SparkSession) -> None:
    words = [f"w{number}" for number in range(40)]
    pairs = [
        Pair(" ".join(words[n : n + 3]), " ".join(words[n::3]), " ".join(words[n % 5 :: 2] * (1 + n % 3)))
        for n in range(1, 30)
    ]
    several = [
        sorted(fit_and_compute(TermSimilarityV1, pairs_of(spark, pairs, partitions), folds=2)[1].collect())
        for partitions in (1, 4, 16)
    ]
    assert several[0] == several[1] == several[2]
    assert len({row.query_cosine for row in several[0]}) > 20
