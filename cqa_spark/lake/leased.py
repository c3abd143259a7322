"""A lake for which the current process holds the lease."""

from __future__ import annotations

from dataclasses import dataclass, field

from cqa_spark.lake.lease import Lease
from cqa_spark.lake.storage import Lake


@dataclass(frozen=True)
class LeasedLake(Lake):
    """A lake with its lease, which is required to publish; created by ``cqa_spark.lake.holding.hold``."""

    lease: Lease = field(kw_only=True)

    def before_write(self) -> None:
        """Renew the lease, so that no other process takes it during the write.

        Raises:
            AnotherWriter: another process has taken it.
        """
        self.lease.renew()
