"""Measures by set, and their means."""

import numpy as np
import pytest

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.set_means import MEAN, WEIGHTED_MEAN, score_sets

PEARSON = parse_measure("Pearson")


def pairs(scores: list[float], gold: list[float]) -> np.ndarray:
    one, other = np.array(scores), np.array(gold)
    return np.stack([np.ones(len(one)), one, other, one**2, other**2, one * other], axis=-1)


SETS = {
    "small": {"ours": pairs([1, 2, 3], [1, 2, 3]), "theirs": pairs([3, 2, 1], [1, 2, 3])},
    "large": {"ours": pairs([0, 1, 0, 1], [0, 1, 1, 0]), "theirs": pairs([0, 1, 1, 0], [0, 1, 1, 0])},
}


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], float]:
    scores = score_sets(PEARSON, SETS, "theirs", resamples=99)
    return {(each.set_name, each.system): each for each in scores}


def test_every_set_and_both_means(found) -> None:
    assert {key: round(each.value, 9) for key, each in found.items()} == {
        ("small", "ours"): 1.0,
        ("small", "theirs"): -1.0,
        ("large", "ours"): 0.0,
        ("large", "theirs"): 1.0,
        (WEIGHTED_MEAN, "ours"): round(3 / 7, 9),
        (WEIGHTED_MEAN, "theirs"): round(1 / 7, 9),
        (MEAN, "ours"): 0.5,
        (MEAN, "theirs"): 0.0,
    }
    assert [found[name, "ours"].queries for name in ("small", "large", MEAN)] == [3, 4, 7]


def test_differences_from_the_baseline(found) -> None:
    assert found["small", "ours"].difference == pytest.approx(2.0)
    assert (found["large", "theirs"].difference, found["large", "theirs"].p_value) == (0.0, 1.0)


def test_a_clear_difference_is_significant_and_none_is_not() -> None:
    draw = np.random.default_rng(3)
    gold = draw.normal(size=200)
    noise = draw.normal(size=(2, 200))
    close, far = gold + 0.1 * noise[0], gold + 3 * noise[1]
    systems = {"base": pairs(far, gold), "close": pairs(close, gold), "scaled": pairs(7 * far + 1, gold)}
    scores = {each.system: each for each in score_sets(PEARSON, {"all": systems}, "base", resamples=199)}
    assert scores["close"].p_value == 2 * 2 / 200  # adjusted for two systems
    assert scores["scaled"].p_value == 1.0
    assert scores["close"].low < scores["close"].value < scores["close"].high
