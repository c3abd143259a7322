"""The conclusion of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.reports.experiments.content import CrossValidation
from cqa_spark.reports.kit.significance import verdict


def cross_validation_conclusion(found: Sequence[CrossValidation]) -> str:
    """Which systems the cross-validation does not distinguish from the best one.

    Args:
        found: systems, best first; at least one.
    """
    best, *others = found
    if not others:
        return f"{best.system} is the only system in the cross-validation."
    alike = [each.system for each in others if verdict(each) == "unclear"]
    if not alike:
        return f"{best.system} is significantly better than every other system."
    names = ", ".join(alike[:-1]) + " and " + alike[-1] if alike[1:] else alike[0]
    differ = f"its differences from {names} are" if alike[1:] else f"its difference from {names} is"
    return f"{best.system} has the highest mean, but {differ} not statistically significant."
