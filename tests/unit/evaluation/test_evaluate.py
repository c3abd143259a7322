"""Terms as digits, whose sums do not depend on the order of the terms."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.evaluate import BASE, digits, from_digits


def test_digits_of_literal_terms() -> None:
    terms = np.array([2.0, 1.25, -0.25, 0.5 + 2.0**-33])
    assert [each.tolist() for each in digits(terms, 3, np.rint)] == [
        [2, 1, 0, 1],
        [0, BASE // 4, -BASE // 4, -BASE // 2],
        [0, 0, 0, BASE // 2],
    ]
    assert from_digits(digits(terms, 2, np.rint)).tolist() == [2.0, 1.25, -0.25, 0.5]


@given(st.lists(st.floats(2.0**-12, 1e6), min_size=1, max_size=50))
def test_three_digits_sum_exactly(values: list[float]) -> None:
    by_digit = [sum(map(int, each)) for each in digits(np.array(values), 3, np.rint)]
    assert float(from_digits([Fraction(each) for each in by_digit])) == math.fsum(values)
