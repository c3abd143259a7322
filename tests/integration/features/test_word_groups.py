"""What the words of a comment say of its label."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import pytest
from literal_community import Said, Thread
from pyspark.sql import DataFrame
from saved_folders import reloaded_group

from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class


@pytest.fixture
def inputs(community) -> FeatureInputs:
    """Eight training threads: what speaks of the souq is relevant, what laughs is not."""
    said = [Said("U7", "the souq has it", relevant=True), Said("U8", "lol the joke", relevant=False)]
    unseen = [Said("U7", "the souq"), Said("U8", "lol"), Said("U6", "zebra")]
    return community([*[Thread(f"Q{n}", "U9", said) for n in range(8)], Thread("Q9", "U9", unseen, split="dev")])


def _by_candidate(values: DataFrame) -> dict[str, dict[str, float]]:
    return {row["candidate_id"]: row.asDict() for row in values.collect()}


def test_the_lexicon_tells_good_words_from_bad(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(group_class("lexicon_v1"), inputs, folds=2)
    rows = _by_candidate(values)
    assert len(rows) == 19
    assert rows["Q9_C1"]["log_odds"] > 1.0 > -1.0 > rows["Q9_C2"]["log_odds"]
    assert rows["Q9_C3"]["probability"] == pytest.approx(0.5, abs=0.2)
    for row in rows.values():
        assert row["log_odds"] == pytest.approx(log(row["probability"] / (1 - row["probability"])))


def test_the_lexicon_is_the_same_to_the_last_bit_however_rows_are_spread(inputs: FeatureInputs) -> None:
    spread = [replace(inputs, examples=inputs.examples.repartition(count)) for count in (1, 7)]
    one, many = (compute_values(group_class("lexicon_v1")().fit(each), inputs).collect() for each in spread)
    assert sorted(one) == sorted(many)


def test_polarity_is_the_log_of_smoothed_odds_over_the_prior(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(group_class("goodness_pmi_v1"), inputs, folds=3)
    rows = _by_candidate(values)
    souq, the, prior = log(9 / 1), log(9 / 9), log(9 / 9)
    assert rows["Q9_C1"]["max"] == pytest.approx(souq - prior)
    assert rows["Q9_C1"]["min"] == pytest.approx(the - prior)
    assert rows["Q9_C2"]["mean"] == pytest.approx(-souq)
    assert rows["Q9_C2"]["good_share"] == 0.0
    assert rows["Q9_C3"] == {
        "site": "qatarliving.com",
        "candidate_id": "Q9_C3",
        "mean": 0.0,
        "max": 0.0,
        "min": 0.0,
        "sum": 0.0,
        "good_share": 0.0,
    }


def test_polarity_of_words_pairs_and_stems_and_within_a_section(community) -> None:
    good, bad = Said("U7", "the souq", relevant=True), Said("U8", "the joke", relevant=False)
    judged = [Thread(f"Q{n}", "U9", [good, bad], category="Food" if n < 2 else None) for n in range(4)]
    judged.append(Thread("Q5", "U9", [Said("U7", "souq souq", relevant=False)], category="Food"))
    unseen = [Said("U7", "the souq"), Said("U8", "zebra")]
    food, none = (Thread(f"D{n}", "U9", unseen, split="dev", category=name) for n, name in enumerate(("Food", None)))
    _, values = fit_and_compute(group_class("goodness_pmi_v2"), community([*judged, food, none]), folds=2)
    rows = _by_candidate(values)
    prior = log(5 / 6)
    the, souq, pair = log(5 / 5) - prior, log(5 / 2) - prior, log(5 / 1) - prior
    found = rows["D1_C1"]
    assert (found["words_max"], found["words_min"], found["words_sum"]) == pytest.approx((souq, the, the + souq))
    assert (found["words_best_3"], found["stems_worst_3"]) == pytest.approx((the + souq, the + souq))
    assert (found["bigrams_mean"], found["section_mean"]) == pytest.approx((pair, (the + souq) / 2))
    food_prior = log(3 / 4)
    as_in_all = 1 / (1 + exp(-(food_prior + souq)))
    souq_in_food = log((2 + 5 * as_in_all) / (1 + 5 * (1 - as_in_all))) - food_prior
    assert rows["D0_C1"]["section_max"] == pytest.approx(souq_in_food)
    assert {rows["D0_C2"][name] for name in rows["D0_C2"] if name not in ("site", "candidate_id")} == {0.0}


@pytest.mark.parametrize("name", ["lexicon_v1", "goodness_pmi_v1", "goodness_pmi_v2"])
def test_what_was_learned_is_read_back(inputs: FeatureInputs, tmp_path, name: str) -> None:
    fitted, _ = fit_and_compute(group_class(name), inputs, folds=2)
    again = reloaded_group(fitted, tmp_path)
    assert sorted(compute_values(again, inputs).collect()) == sorted(compute_values(fitted, inputs).collect())
