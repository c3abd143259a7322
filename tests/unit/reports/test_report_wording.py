"""Numbers as the field writes them, and the sentences of the summary."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import report_content as literal
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.reports import wording
from cqa_spark.reports.content.measures import Comparison
from cqa_spark.reports.content.stories import Push


@pytest.mark.parametrize(("fraction", "text"), [(0.53842, "53.84"), (0.0, "0.00"), (1.0, "100.00")])
def test_fractions_print_in_points(fraction: float, text: str) -> None:
    assert wording.points(fraction) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.1628, "+16.28"), (-0.0828, f"{wording.MINUS}8.28"), (0.0, "0.00"), (-1e-9, "0.00")]
)
def test_differences_print_with_their_sign(fraction: float, text: str) -> None:
    assert wording.signed_points(fraction) == text


def test_moments_are_dates_in_utc_and_none_is_not_known() -> None:
    assert wording.feature_value(Push("created", 1_401_349_380.9, 0.5, is_time=True)) == "2014-05-29 07:43"
    assert wording.feature_value(Push("created", 0.0, 0.5, is_time=True)) == "not known"


@pytest.mark.parametrize(("value", "text"), [(0.00099, "p < 0.001"), (0.001, "p = 0.001"), (0.2219, "p = 0.222")])
def test_p_values(value: float, text: str) -> None:
    assert wording.p_value(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00 s"),
        (0.994, "0.99 s"),
        (0.999, "1.0 s"),
        (12.34, "12.3 s"),
        (59.96, "1 min 00 s"),
        (185.4, "3 min 05 s"),
        (3599.6, "1 h 00 min"),
        (7440, "2 h 04 min"),
        (7199, "2 h 00 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert wording.duration(seconds) == text


@given(st.floats(min_value=0, max_value=1e6))
def test_no_duration_counts_sixty_of_a_unit(seconds: float) -> None:
    assert not re.search(r"(?<![\d.])60(\.0)? (s|min)", wording.duration(seconds))


@pytest.mark.parametrize(
    ("number", "text"),
    [(None, "unknown"), (999, "999 B"), (2_104_550, "2.1 MB"), (1_500, "1.5 kB"), (10**9, "1.0 GB")],
)
def test_sizes(number: int | None, text: str) -> None:
    assert wording.size(number) == text


@pytest.mark.parametrize(
    ("difference", "p_value", "verdict"),
    [(0.1, 0.01, "better"), (-0.1, 0.01, "worse"), (0.1, 0.05, "unclear"), (0.0, 0.0, "unclear")],
)
def test_verdicts(difference: float, p_value: float, verdict: str) -> None:
    assert wording.verdict(Comparison("a", "MAP@10", difference, p_value, 1, 1, 1)) == verdict


def test_no_verdict_without_a_test() -> None:
    assert wording.verdict(None) == ""


def test_the_summary_says_it_in_plain_words() -> None:
    assert [sentence.replace("\xa0", " ") for sentence in wording.summary(literal.full_report())] == [
        "244 queries of the dev part, 2,440 candidates, 8 systems.",
        "best_a reaches MAP@10 70.12; other queries of the same kind would give 67.52 to 72.62 (95 % interval).",
        "Against given_order that is +16.28 points, more than chance explains (p < 0.001): better on 158 queries, "
        "equal on 34, worse on 52.",
        "12 of 923 input records could not be understood and stand in quarantine. The run took 2 min 55 s.",
    ]


def test_the_summary_does_not_claim_what_chance_could_explain() -> None:
    full = literal.full_report()
    report = replace(full, evaluation=replace(full.evaluation, best_system="length"))
    assert "+2.27 points, which chance alone could explain (p\xa0=\xa00.222)" in wording.summary(report)[2]
