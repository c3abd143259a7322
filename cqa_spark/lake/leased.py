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

    The run log of a holder that died is completed: its publication, and the end of its runs.

    Args:
        lake: the lake.
        holder: the new holder.
        clock: returns the time, with a time zone; None for the machine's clock.
        sleep: waits for a number of seconds.

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
    """Hold the lease of a lake while the block runs, without completing the run log of an earlier holder.

    If that holder may still be alive, the tables are fenced.

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
        held = LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
        if lease.left_behind is not None and not lease.left_behind.is_dead():
            fence_tables(held)
        yield held


def complete_log(lake: LeasedLake, reason: str | None) -> None:
    """Record the publication that the pointer names and the ends of runs, if earlier holders did not.

    Args:
        lake: leased by this process.
        reason: message for runs without a recorded end; None if there are none.
    """
    log, published = RunLog(lake.objects), read_pointer(lake.objects).record
    if published is not None:
        log.append_published(published)
    if reason is not None:
        log.close_abandoned(reason)
