"""A pool of processes that yields results in the order of the calls."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, TypeVar

AHEAD = 2
"""Submitted calls per process, including those with unread results."""

Result = TypeVar("Result")


class Pool:
    """Calls functions in several processes, and yields their results in the order of the calls.

    Args:
        workers: number of processes; with 1 or less, calls run in this process.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        # Spawned, not forked: they start from the same state on every platform, without Spark's threads and sockets.
        context = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(workers, context) if workers > 1 else None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._executor:
            self._executor.shutdown(cancel_futures=True)

    def in_order(self, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]]) -> Iterator[Result]:
        """Yield the results of calls one after another; the number of calls ahead is bounded.

        Args:
            function: a function that can be pickled.
            calls: its arguments; they and the results can be pickled.

        Raises:
            BrokenProcessPool: a process died.
        """
        if self._executor is None:
            for arguments in calls:
                yield function(*arguments)
            return
        waiting: deque[Future[Result]] = deque()
        for arguments in calls:
            waiting.append(self._executor.submit(function, *arguments))
            if len(waiting) > AHEAD * self._workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
