"""Runs a function on many archives in parallel processes, because unpacking is CPU-bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from cqa_spark.errors import EnvironmentProblem

Given = TypeVar("Given")
Result = TypeVar("Result")


def work_on(work: Callable[[Given], Result], items: Sequence[Given], workers: int) -> Iterator[tuple[int, Result]]:
    """Call a function on every item.

    Args:
        work: a function that can be pickled.
        items: its arguments; they and the results can be pickled.
        workers: number of processes; with one, or a single item, the calling process does the work.

    Yields:
        Place of the item and its result, in the order in which they become ready.

    Raises:
        CqaError: the first error of the function, raised after started items have ended; others are cancelled.
        EnvironmentProblem: a process died.
    """
    if min(workers, len(items)) <= 1:
        yield from enumerate(map(work, items))
        return
    # Spawned, not forked: the calling process may hold Spark's threads and sockets.
    pool = ProcessPoolExecutor(min(workers, len(items)), mp_context=get_context("spawn"))
    try:
        places = {pool.submit(work, item): place for place, item in enumerate(items)}
        for done in as_completed(places):
            yield places[done], done.result()
    except BrokenProcessPool as error:
        raise EnvironmentProblem(
            "a process that unpacks archives was killed, perhaps because memory ran out", "try again with fewer workers"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
