"""What the words of a comment say of its label, by counts."""

from math import exp, log

import pandas as pd
import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread
from saved_folders import reloaded_group

from cqa_spark.features.groups.quality.goodness_pmi import GoodnessPmiV1, GoodnessPmiV2
from cqa_spark.features.training_data import CANDIDATES

Count = tuple[str, str, str | None, int, int]


def _counts(*rows: Count) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["unit", "term", "section", "good", "bad"])


def test_polarity_is_the_log_of_smoothed_odds_over_the_prior() -> None:
    counts = _counts(
        (CANDIDATES, "", None, 8, 6),
        ("tokens", "souq", None, 8, 0),
        ("tokens", "lol", None, 0, 6),
        ("tokens", "the", None, 8, 6),
        ("tokens", "rare", None, 1, 1),
    )
    said = [Said("U7", "the souq the"), Said("U8", "lol rare"), Said("U6", "zebra")]
    good, bad, unknown = values(GoodnessPmiV1.of_counts(counts), batch_of([Thread("Q9", "U9", said)]))
    prior = log(9 / 7)
    assert good["max"] == pytest.approx(log(9 / 1) - prior)
    assert good["min"] == pytest.approx(0.0)
    assert good["good_share"] == 0.5
    assert bad["mean"] == bad["sum"] == pytest.approx(log(1 / 7) - prior)
    assert bad["good_share"] == 0.0
    assert set(list(unknown.values())[2:]) == {0.0}


def test_polarity_of_words_pairs_and_stems_and_within_a_section() -> None:
    counts = _counts(
        (CANDIDATES, "", None, 2, 2),
        (CANDIDATES, "", "Food", 2, 3),
        ("words", "the", None, 2, 2),
        ("words", "the", "Food", 2, 2),
        ("words", "souq", None, 2, 0),
        ("words", "souq", "Food", 2, 1),
        ("bigrams", "the souq", None, 4, 0),
        ("stems", "the", None, 4, 4),
        ("stems", "souq", None, 4, 1),
    )
    unseen = [Said("U7", "the souq"), Said("U8", "zebra")]
    threads = [Thread("D0", "U9", unseen, category="Food"), Thread("D1", "U9", unseen)]
    in_food, unknown, elsewhere, _ = values(GoodnessPmiV2.of_counts(counts), batch_of(threads))
    prior = log(5 / 6)
    the, souq, pair = log(5 / 5) - prior, log(5 / 2) - prior, log(5 / 1) - prior
    assert (elsewhere["words_max"], elsewhere["words_min"]) == pytest.approx((souq, the))
    assert (elsewhere["words_sum"], elsewhere["words_best_3"]) == pytest.approx((the + souq, the + souq))
    assert elsewhere["stems_worst_3"] == pytest.approx(the + souq)
    assert (elsewhere["bigrams_mean"], elsewhere["section_mean"]) == pytest.approx((pair, (the + souq) / 2))
    food_prior = log(3 / 4)
    as_in_all = 1 / (1 + exp(-(food_prior + souq)))
    souq_in_food = log((2 + 5 * as_in_all) / (1 + 5 * (1 - as_in_all))) - food_prior
    assert in_food["section_max"] == pytest.approx(souq_in_food)
    assert set(list(unknown.values())[2:]) == {0.0}


def test_what_was_learned_is_read_back(tmp_path) -> None:
    counts = _counts((CANDIDATES, "", "Food", 4, 4), ("tokens", "souq", None, 4, 0), ("words", "souq", "Food", 4, 0))
    batch = batch_of([Thread("Q9", "U9", [Said("U7", "the souq")], category="Food")])
    for group in (GoodnessPmiV1.of_counts(counts), GoodnessPmiV2.of_counts(counts)):
        assert values(reloaded_group(group, tmp_path / group.name), batch) == values(group, batch)
