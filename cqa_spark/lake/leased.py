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

    A holder that died before gets its log completed: what it published, and that its runs have ended. A holder that may
    still live is shut out of the tables first.

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
        published = claim(lake.objects, lease.token).record
        held = LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
        log = RunLog(held.objects)
        if lease.left_behind is not None and not lease.left_behind.is_dead():
            fence_tables(held)
        if published is not None:
            log.append_published(published)  # a holder may have failed right after it published
        if lease.left_behind is not None:
            log.close_abandoned(f"ended without a record: {lease.left_behind}")
        yield held
