"""Spark jobs that do not wait for one another, side by side.

Planning a job keeps one thread of the driver busy, and training on one partition one core; the others idle meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pyspark import inheritable_thread_target

AT_A_TIME = 2
"""Each may hold rows of its own in memory."""

Part = TypeVar("Part")
Result = TypeVar("Result")


def run_concurrently(do: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Do the same to each part, several at a time; give the results in the order of the parts.

    Args:
        do: runs Spark jobs; must not wait for another part.
        parts: what it is given.

    Raises:
        whatever the first of the parts that failed raises, once those that have begun have ended.
    """
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        return list(threads.map(inheritable_thread_target(do), parts))
