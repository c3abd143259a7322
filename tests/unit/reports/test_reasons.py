"""Reasons in words and units."""

import numpy as np

from cqa_spark.reports.reasons import FeatureContribution, feature_value, reasons


def answer(net: int, characters: int, answers: int = 0, accepted: int = 0, by_asker: bool = False) -> dict[str, float]:
    return {
        "answer_standing_asof_v1__net": float(np.sign(net) * np.log1p(abs(net))),
        "answer_markup_asof_v1__characters": float(np.log1p(characters)),
        "author_record_asof_v1__answers": float(np.log1p(answers)),
        "author_record_asof_v1__accepted": float(np.log1p(accepted)),
        "answer_timing_asof_v1__by_asker": float(by_asker),
    }


def test_reasons_name_what_differs_from_the_neighbour() -> None:
    assert reasons([answer(9, 120, 5, 3), answer(-3, 120), answer(-2, 1500, 0, 0, by_asker=True)]) == [
        "12 votes more than the next answer; its author had 3 of 5 answers accepted",
        "1 vote fewer than the next answer; 1,380 characters shorter than the next answer",
        "1 vote more than the answer above; 1,380 characters longer than the answer above; the asker wrote it",
    ]
    assert reasons([answer(1, 10, 2), answer(1, 10)]) == [
        "its author had 0 of 2 answers accepted",
        "its author had no answers before",
    ]


def test_nothing_is_said_of_equal_answers_single_answers_and_other_features() -> None:
    assert reasons([answer(1, 10), answer(1, 10)]) == ["", ""]
    assert reasons([answer(1, 10)]) == [""]
    assert reasons([{"g_v1__x": 1.0}, {"g_v1__x": 2.0}]) == ["", ""]


# Formats of feature values.


def test_timestamps_are_dates_in_utc_and_zero_is_unknown() -> None:
    created = FeatureContribution("created", 1_401_349_380.9, 0.5, is_time=True)
    assert feature_value(created) == "2014-05-29 07:43"
    assert feature_value(FeatureContribution("created", 0.0, 0.5, is_time=True)) == "unknown"
