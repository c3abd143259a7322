"""How CPU time grows with the length of an input: a ratio, which a busy or slow machine does not change."""

from collections.abc import Callable
from time import process_time
from typing import TypeVar

Input = TypeVar("Input")

MOST = 11.0
"""CPU time for four times the input over CPU time for the input: 4 where it is proportional, 8 for n√n, 16 for n²."""
_TRIES = 3
_REPETITIONS = 2


def growth(function: Callable[[Input], object], make: Callable[[int], Input], size: int) -> float:
    """The growth of the CPU time when the input grows fourfold; the smallest of several measurements.

    Args:
        function: what is measured.
        make: makes a new input of a size.
        size: of the smaller input.
    """
    least = float("inf")
    for _ in range(_TRIES):
        least = min(least, _seconds(function, make, 4 * size) / _seconds(function, make, size))
        if least <= MOST:
            break
    return least


def _seconds(function: Callable[[Input], object], make: Callable[[int], Input], size: int) -> float:
    """CPU seconds of the fastest of several calls."""
    seconds = []
    for _ in range(_REPETITIONS):
        made = make(size)
        start = process_time()
        function(made)
        seconds.append(process_time() - start)
    return max(min(seconds), 1e-3)
