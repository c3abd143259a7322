"""A lake that this process alone writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cqa_spark.lake.holder import Holder
from cqa_spark.lake.lease import Clock, Lease, hold_lease
from cqa_spark.lake.pointer import claim, read_pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.storage import Lake


@dataclass(frozen=True)
class LeasedLake(Lake):
    """A lake with the lease that lets this process publish in it; ``hold`` makes it."""

    lease: Lease = field(kw_only=True)


@contextmanager
def hold(lake: Lake, holder: Holder, clock: Clock | None = None) -> Iterator[LeasedLake]:
    """Write a lake as the only one while the block runs.

    A holder that died before gets its log completed: what it published, and that its runs have ended.

    Args:
        lake: the lake.
        holder: who writes.
        clock: gives the time, with a time zone; None for the machine's.

    Raises:
        AnotherWriter: another process writes it.
    """
    with hold_lease(lake.objects, holder, clock, after=read_pointer(lake.objects).token) as lease:
        published = claim(lake.objects, lease.token).record
        if lease.left_behind is not None:
            log = RunLog(lake.objects)
            if published is not None:
                log.append_published(published)
            log.close_abandoned(f"ended without a word: {lease.left_behind}")
        yield LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
