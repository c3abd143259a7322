"""A process pool with ordered results and bounded look-ahead."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, TypeVar

AHEAD = 2  # calls that wait for each process, or whose results wait to be taken
Result = TypeVar("Result")


class Pool:
    """Calls functions on several processes, and gives their results in the order of the calls.

    Args:
        workers: processes; a single one is this process itself, which saves starting another.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        # Spawned processes start from the same state on every platform.
        context = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(workers, context) if workers > 1 else None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._executor:
            self._executor.shutdown(cancel_futures=True)

    def in_order(self, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]]) -> Iterator[Result]:
        """Give the results of calls, one after the other; only a few calls are ahead of the one that is taken."""
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
