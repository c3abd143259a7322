"""Similarity by terms that are weighed by their rarity."""

from math import log, sqrt
from pathlib import Path

import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread
from saved_folders import reloaded_group

from cqa_spark.features.groups.similarity.term_similarity import TermSimilarityV1, TokenCosineV1
from cqa_spark.text.terms import Collection

_PAIRS = (
    Pair("visa", "visa cost", "cost of visa"),
    Pair("school", "", "no idea"),
    Pair("visa", "", ""),
    Pair("visa of", "", "visa strange"),
)
_GROUP = TermSimilarityV1(Collection({"visa": 3, "cost": 2, "of": 1, "school": 1, "no": 1, "idea": 1}, 6, 10))


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, float]]:
    return {row["query_id"]: row for row in values(_GROUP, pairs_of(_PAIRS))}


def test_values_by_hand(found: dict[str, dict[str, float]]) -> None:
    row = found["Q1"]
    visa, cost, of = (log(7 / (1 + holding)) + 1 for holding in (3, 2, 1))
    twice = 1 + log(2)
    said = sqrt(cost**2 + of**2 + visa**2)
    assert row["query_cosine"] == pytest.approx(
        (cost**2 + twice * visa**2) / (sqrt(cost**2 + (twice * visa) ** 2) * said)
    )
    assert row["subject_cosine"] == pytest.approx(visa / said)
    assert row["query_covered"] == pytest.approx(1.0)
    assert row["subject_covered"] == pytest.approx(1.0)
    saturation = 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / (10 / 6)))
    bm25_visa, bm25_cost = (log(1 + (6 - holding + 0.5) / (holding + 0.5)) * saturation for holding in (3, 2))
    assert row["query_bm25"] == pytest.approx(bm25_visa + bm25_cost)
    assert row["subject_bm25"] == pytest.approx(bm25_visa)


@pytest.mark.parametrize("query_id", ["Q2", "Q3"])
def test_nothing_shared_is_nothing(found: dict[str, dict[str, float]], query_id: str) -> None:
    assert {found[query_id][column.name] for column in TermSimilarityV1.columns} == {0.0}


def test_a_term_that_training_lacks_is_the_rarest(found: dict[str, dict[str, float]]) -> None:
    visa, of, strange = (log(7 / (1 + holding)) + 1 for holding in (3, 1, 0))
    row = found["Q4"]
    assert row["query_covered"] == pytest.approx(visa / (visa + of))
    assert row["query_cosine"] == pytest.approx(visa**2 / (sqrt(visa**2 + of**2) * sqrt(visa**2 + strange**2)))


def test_what_is_saved_is_what_is_read(tmp_path: Path) -> None:
    batch = pairs_of(_PAIRS)
    assert values(reloaded_group(_GROUP, tmp_path), batch) == values(_GROUP, batch)


def test_other_queries_change_no_digit() -> None:
    words = [f"w{number}" for number in range(40)]
    pairs = [
        Pair(" ".join(words[n : n + 3]), " ".join(words[n::3]), " ".join(words[n % 5 :: 2] * (1 + n % 3)))
        for n in range(1, 30)
    ]
    together = {row["query_cosine"] for row in values(_GROUP, pairs_of(pairs))}
    assert {row["query_cosine"] for pair in pairs for row in values(_GROUP, pairs_of([pair]))} == together
    assert len(together) > 20


# The baseline of the STS tasks.


def test_tokens_count_once_as_they_are_written() -> None:
    pairs = (Pair("a a b", "", "b c, A d"), Pair("a", "", ""))
    assert [each["cosine"] for each in values(TokenCosineV1(), pairs_of(pairs))] == [pytest.approx(1 / 8**0.5), 0.0]


def test_a_pair_without_a_known_text_has_no_value() -> None:
    [found] = values(TokenCosineV1(), batch_of([Thread("Q1", None, [Said(None, "good")])]))
    assert found["cosine"] is None
