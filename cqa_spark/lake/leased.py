"""A lake that only this process writes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cqa_spark.lake.fence import fence_tables
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.lease import Clock, Lease, Sleep, hold_lease
from cqa_spark.lake.pointer import claim, read_pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.storage import Lake


@dataclass(frozen=True)
class LeasedLake(Lake):
    """A lake with the lease that lets this process publish in it; ``hold`` makes it."""

    lease: Lease = field(kw_only=True)

    def signature(self, author: str) -> str:
        """Two processes that work on the same run write different commit metadata.

        Args:
            author: run id.
        """
        return f"{author}, writer {self.lease.token}"

    def before_commit(self) -> None:
        """Renew the lease, so that no other process takes it while the commit is made.

        Raises:
            AnotherWriter: another process has taken it.
        """
        self.lease.renew()


@contextmanager
def hold(lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep) -> Iterator[LeasedLake]:
    """Hold the lease of a lake while the block runs, so that no other process writes it.

    A holder that died before gets its work completed: the log of what it published, and that its runs have ended.

    Args:
        lake: the lake.
        holder: who writes.
        clock: gives the time, with a time zone; None for the machine's.
        sleep: waits so many seconds.

    Raises:
        AnotherWriter: another process writes it.
    """
    with take_over(lake, holder, clock, sleep=sleep) as held:
        left_behind = held.lease.left_behind
        complete_log(held, f"ended without a record: {left_behind}" if left_behind is not None else None)
        yield held


@contextmanager
def take_over(
    lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep
) -> Iterator[LeasedLake]:
    """Write a lake as the only one while the block runs, and leave what an earlier holder left.

    A holder that may still live is shut out of the tables.

    Args:
        lake: the lake.
        holder: who writes.
        clock: gives the time, with a time zone; None for the machine's.
        sleep: waits so many seconds.

    Raises:
        AnotherWriter: another process writes it.
    """
    token = read_pointer(lake.objects).token
    with hold_lease(lake.objects, holder, clock, after=token, sleep=sleep) as lease:
        claim(lake.objects, lease.token)
        held = LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
        if lease.left_behind is not None and not lease.left_behind.is_dead():
            fence_tables(held)
        yield held


def complete_log(lake: LeasedLake, reason: str | None) -> None:
    """Record what earlier holders did not: the publication that the pointer names, and that their runs have ended.

    Args:
        lake: held by this process.
        reason: message of the records of runs that have ended; None if all holders recorded how their runs ended.
    """
    log, published = RunLog(lake.objects), read_pointer(lake.objects).record
    if published is not None:
        log.append_published(published)
    if reason is not None:
        log.close_abandoned(reason)
