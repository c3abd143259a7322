"""The holder of a lake's lease: a process on a machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PROCESSES = Path("/proc/self/ns/pid")


class Holder(BaseModel):
    """One attempt of a process to write a lake.

    Attributes:
        job: name of the job, such as nightly.
        host: name of its machine.
        pid: process id on that machine.
        machine: identifies the machine's boot and the container; empty if neither is known.
        attempt: unique for each taking of a lease.
    """

    model_config = ConfigDict(frozen=True)

    job: str
    host: str
    pid: int
    machine: str
    attempt: str

    @classmethod
    def of_this_process(cls, job: str) -> Holder:
        """The current process, for one attempt."""
        return cls(job=job, host=socket.gethostname(), pid=os.getpid(), machine=_machine(), attempt=uuid4().hex)

    def is_dead(self) -> bool:
        """Whether the process has certainly ended; False for processes on other machines."""
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
    """An identifier of the boot and the container, within which process ids are unique."""
    try:
        return f"{_BOOT.read_text().strip()}/{os.readlink(_PROCESSES)}"
    except OSError:
        return ""
