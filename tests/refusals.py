"""What functions that only check something say: a refusal, or nothing."""

from collections.abc import Callable
from typing import Any

from cqa_spark.errors import CqaError


def refusal(check: Callable[..., object], *arguments: Any) -> str | None:
    """The problem that a check names for users; None if it has no objection."""
    try:
        check(*arguments)
    except CqaError as refused:
        return refused.problem
    return None
