"""Keeps DataFrames that are read several times in memory, and releases them at the end of a block."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from pyspark.sql import DataFrame

from cqa_spark.spark.internals import scan_of

_SCOPE: ContextVar[ExitStack | None] = ContextVar("persistence scope", default=None)


@contextmanager
def persistence_scope() -> Iterator[None]:
    """Release what ``persist`` is called with in the block, also in its concurrent parts, when the block ends.

    Every step is such a block, so functions of a step may return DataFrames that they persisted.
    """
    with ExitStack() as scope:
        outer = _SCOPE.set(scope)
        try:
            yield
        finally:
            _SCOPE.reset(outer)


def persist(frame: DataFrame) -> DataFrame:
    """Persist a DataFrame until the innermost scope ends; it is computed when it is first read.

    Unlike a checkpoint, rows that an executor took with it are computed again.

    Returns:
        The scan of the persisted rows (``scan_of``); the DataFrame itself outside of every scope, where nothing would
        release the rows.
    """
    scope = _SCOPE.get()
    if scope is None:
        return frame
    scope.callback(frame.persist().unpersist)
    return scan_of(frame)


@contextmanager
def persisted(*frames: DataFrame) -> Iterator[tuple[DataFrame, ...]]:
    """Persist DataFrames while the block runs; each is computed when it is first read.

    Yields:
        The scans of the persisted rows (``scan_of``).
    """
    with ExitStack() as held:
        for frame in frames:
            held.callback(frame.persist().unpersist)
        yield tuple(map(scan_of, frames))
