"""Williams' test of the difference between two correlations with the same gold scores."""

from math import sqrt


def williams_test(first: float, second: float, between: float, pairs: int) -> float:
    """The two-sided p-value that two systems correlate equally with the gold, whose scores correlate with each other.

    Args:
        first: correlation of the first system with the gold, from -1 to 1.
        second: correlation of the second system with the gold.
        between: correlation of both systems' scores.
        pairs: number of scored pairs.

    Returns:
        1 if the correlations are equal, or there are fewer than four pairs.

    Source:
        Williams 1959, The comparison of regression variables; Graham and Baldwin 2014, Testing for Significance of
        Increased Correlation with Human Judgment, EMNLP, equation 1. The statistic has n - 3 degrees of freedom.
    """
    from scipy import stats

    if first == second or pairs <= 3:
        return 1.0
    determinant = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    spread = 2 * determinant * (pairs - 1) / (pairs - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    if spread <= 0:
        return 0.0
    statistic = (first - second) * sqrt((pairs - 1) * (1 + between) / spread)
    return float(2 * stats.t.sf(abs(statistic), pairs - 3))
