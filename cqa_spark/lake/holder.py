"""Who holds the lease of a lake: a process of a machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PROCESSES = Path("/proc/self/ns/pid")


class Holder(BaseModel):
    """One attempt of one process to write a lake.

    Attributes:
        job: what it does, such as nightly.
        host: name of its machine.
        pid: its number there.
        machine: stands for the machine since it was started, and for the container; empty where neither can be told.
        attempt: different for each time that a lease is taken.
    """

    model_config = ConfigDict(frozen=True)

    job: str
    host: str
    pid: int
    machine: str
    attempt: str

    @classmethod
    def of_this_process(cls, job: str) -> Holder:
        """This process, for one attempt."""
        return cls(job=job, host=socket.gethostname(), pid=os.getpid(), machine=_machine(), attempt=uuid4().hex)

    def is_dead(self) -> bool:
        """Whether the process certainly runs no more; of processes elsewhere nothing is certain."""
        if not self.machine or self.machine != _machine():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    def __str__(self) -> str:
        return f"{self.job}, process {self.pid} on {self.host}"


def _machine() -> str:
    """Host names repeat and process numbers too, but not within one start of one machine and one container."""
    try:
        return f"{_BOOT.read_text().strip()}/{os.readlink(_PROCESSES)}"
    except OSError:
        return ""
