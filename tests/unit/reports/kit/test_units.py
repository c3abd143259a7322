"""Formats of durations and sizes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.reports.kit.wording import duration, size


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
    assert duration(seconds) == text


@given(st.floats(min_value=0, max_value=1e6))
def test_no_duration_has_sixty_of_a_unit(seconds: float) -> None:
    assert not re.search(r"(?<![\d.])60(\.0)? (s|min)", duration(seconds))


@pytest.mark.parametrize(
    ("number", "text"), [(None, "unknown"), (999, "999 B"), (2_104_550, "2.1 MB"), (1_500, "1.5 kB"), (10**9, "1.0 GB")]
)
def test_sizes(number: int | None, text: str) -> None:
    assert size(number) == text
