"""Takes a lake for a block: leases it, and completes what an earlier holder began."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cqa_spark.errors import ContractError
from cqa_spark.lake.collection import complete_collection
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.lease import Clock, Sleep, hold_lease
from cqa_spark.lake.pointer import Pointer, claim, read_pointer
from cqa_spark.lake.publishing import complete_publication, restore_pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.storage import Lake, LeasedLake


@contextmanager
def hold(lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep) -> Iterator[LeasedLake]:
    """Hold the lease of a lake while the block runs, so that no other process writes it.

    The ends of runs that an earlier holder did not record are recorded, once its publication is complete.

    Args:
        lake: the lake.
        holder: the new holder.
        clock: returns the time, with a time zone; None for the machine's clock.
        sleep: waits for a number of seconds.

    Raises:
        AnotherWriter: another process writes it.
        EnvironmentProblem: the publication of an earlier holder cannot be completed.
    """
    token = read_pointer(lake.objects).token
    with hold_lease(lake.objects, holder, clock, after=token, sleep=sleep) as lease:
        claim(lake.objects, lease.token)
        leased = LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
        complete_publication(leased)
        complete_collection(leased)
        if lease.left_behind is not None:
            RunLog(lake.objects).close_abandoned(f"ended without a record: {lease.left_behind}")
        yield leased


def restore(lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep) -> Pointer:
    """Write the pointer anew from the run log, as ``restore_pointer``, while holding the lease; return it.

    Args:
        lake: the lake, whose pointer may be damaged, missing or outdated.
        holder: as for ``hold``.
        clock: as for ``hold``.
        sleep: as for ``hold``.

    Raises:
        AnotherWriter: another process writes the lake.
        EnvironmentProblem: the pointer is restored, and a Delta table does not show the published runs yet.
    """
    token = 0
    with suppress(ContractError):
        token = read_pointer(lake.objects).token
    with hold_lease(lake.objects, holder, clock, after=token, sleep=sleep) as lease:
        pointer = restore_pointer(LeasedLake(lake.session, lake.root, lake.storage, lease=lease))
        if lease.left_behind is not None:
            RunLog(lake.objects).close_abandoned(f"ended without a record: {lease.left_behind}")
    return pointer
