"""The same work on many archives at once, in processes: unpacking is bound by the processor."""

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
    """Do the work on every item.

    Args:
        work: a function that can be pickled.
        items: what it is called with; they and the results can be pickled.
        workers: how many processes work at once; with one, or one item, the calling process does it.

    Yields:
        Place of the item and its result, in the order in which they become ready.

    Raises:
        CqaError: what the work raised first; what had been started ends before, what had not is dropped.
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
            "a process that unpacks archives was killed, perhaps for want of memory", "try again with fewer workers"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
