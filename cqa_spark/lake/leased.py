"""A lake for which the current process holds the lease."""

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
    """A lake with its lease, which is required to publish; created by ``hold``."""

    lease: Lease = field(kw_only=True)

    def signature(self, author: str) -> str:
        """Commit metadata that distinguishes processes that work on the same run.

        Args:
            author: run id.
        """
        return f"{author}, writer {self.lease.token}"

    def before_commit(self) -> None:
        """Renew the lease, so that no other process takes it during the commit.

        Raises:
            AnotherWriter: another process has taken it.
        """
        self.lease.renew()


@contextmanager
def hold(lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep) -> Iterator[LeasedLake]:
    """Hold the lease of a lake while the block runs, so that no other process writes it.

    The run log of a holder that died is completed: its publication, and the end of its runs. If the earlier holder may
    still be alive, the tables are fenced.

    Args:
        lake: the lake.
        holder: the new holder.
        clock: returns the time, with a time zone; None for the machine's clock.
        sleep: waits for a number of seconds.

    Raises:
        AnotherWriter: another process writes it.
    """
    token = read_pointer(lake.objects).token
    with hold_lease(lake.objects, holder, clock, after=token, sleep=sleep) as lease:
        claim(lake.objects, lease.token)
        leased = LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
        if lease.left_behind is not None and not lease.left_behind.is_dead():
            fence_tables(leased)
        _complete_log(leased)
        yield leased


def _complete_log(lake: LeasedLake) -> None:
    """Record the publication that the pointer names and the ends of runs, if earlier holders did not."""
    log, published = RunLog(lake.objects), read_pointer(lake.objects).record
    if published is not None:
        log.append_published(published)
    if lake.lease.left_behind is not None:
        log.close_abandoned(f"ended without a record: {lake.lease.left_behind}")
