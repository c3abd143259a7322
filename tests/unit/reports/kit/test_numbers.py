"""Number formats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.reports.kit.wording import MINUS, MISSING, number, p_value, percent, points, signed_points, significant


@pytest.mark.parametrize(("fraction", "text"), [(0.53842, "53.84"), (0.0, "0.00"), (1.0, "100.00")])
def test_fractions_print_in_percentage_points(fraction: float, text: str) -> None:
    assert points(fraction) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.1628, "+16.28"), (-0.0828, f"{MINUS}8.28"), (0.0, "0.00"), (-1e-9, "0.00")]
)
def test_differences_print_with_their_sign(fraction: float, text: str) -> None:
    assert signed_points(fraction) == text


@pytest.mark.parametrize(("value", "text"), [(0.00099, "p < 0.001"), (0.001, "p = 0.001"), (0.2219, "p = 0.222")])
def test_p_values(value: float, text: str) -> None:
    assert p_value(value) == text


@given(st.integers(1, 10**9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_only_all_is_100_percent_and_only_none_is_0_percent(share: tuple[int, int]) -> None:
    part, whole = share
    text = percent(part, whole)
    assert (text == "100 %") == (part == whole)
    assert (text in ("0 %", "0.0 %")) == (part == 0)
    assert text != "100.0 %"


def test_numbers_have_no_trailing_zeros() -> None:
    assert [number(value) for value in (0, 100, -4, 7.5, 1234.25)] == ["0", "100", f"{MINUS}4", "7.5", "1,234.25"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.00138, "0.00138"), (-1.0, f"{MINUS}1"), (123456.0, "1.235e+05"), (None, MISSING)]
)
def test_measured_values_have_four_significant_digits(value: float | None, text: str) -> None:
    assert significant(value) == text
