"""Runs independent Spark jobs concurrently.

Planning a job occupies one thread of the driver, and training on one partition one core; other cores would be idle.
"""

from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

from pyspark import inheritable_thread_target

from cqa_spark.process.stop_signals import Stopped
from cqa_spark.spark.internals import active_context

AT_A_TIME = 2
"""Maximum number of concurrent parts; each may hold rows in memory."""

CANCEL_EVERY = 0.2
"""Seconds between requests to cancel the Spark jobs of parts, which may start another job before they stop."""

Part = TypeVar("Part")
Result = TypeVar("Result")


def run_concurrently(do: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Call a function on each part concurrently; return the results in the order of the parts.

    Args:
        do: runs Spark jobs; must not wait for another part.
        parts: the arguments of the calls.

    Raises:
        the error of the first part that failed, after the running parts have ended.
    """
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        # A part runs in a copy of the context, with the caller's scope of persisted rows.
        results = [threads.submit(copy_context().run, inheritable_thread_target(do), part) for part in parts]
        try:
            return [result.result() for result in results]
        except Stopped:
            cancel(results)
            raise
        finally:
            for result in results:
                result.cancel()


def cancel(results: Collection[Future[Result]]) -> None:
    """Cancel waiting parts, and the Spark jobs of running parts until they have ended."""
    for result in results:
        result.cancel()
    while wait(results, CANCEL_EVERY).not_done:
        cancel_jobs()


def cancel_jobs() -> None:
    """Cancel all Spark jobs; a no-op if Spark does not run, or its Java process has ended."""
    context = active_context()
    if context is not None:
        with suppress(Exception):
            context.setLogLevel("OFF")  # Spark logs every cancelled job, with a stack trace
            context.cancelAllJobs()
