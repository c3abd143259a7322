"""The lease of a lake: an object that names the only process that may write, and the expiry of its right.

The object is created and changed only by conditional writes, so that one of several processes wins. It is never
removed: its token increases with every holder, and publications carry the token (``pointer.py``).

Clocks of machines differ, and jump. A holder therefore never relies on its clock to know that it still holds the lease:
it renews the lease, which fails if another process has taken it. A lease that has expired by the clock of the next
process is watched before it is taken, because a live holder renews it in the meantime.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from cqa_spark.errors import AnotherWriter, CqaError
from cqa_spark.object_store.store import Changed, ObjectStore, Stored, damaged, first_mistake
from cqa_spark.process.signals import uninterrupted

KEY = "lease.json"
LASTS = timedelta(minutes=2)
"""Lifetime of a lease without renewal, long enough for a few failed renewals."""

RENEWED_EVERY = LASTS / 4
WATCHED_FOR = 2 * RENEWED_EVERY
"""Time during which an apparently expired lease is watched for renewals."""

Clock = Callable[[], datetime]
Sleep = Callable[[float], None]

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
        except PermissionError:  # a process of another user
            pass
        return False

    def __str__(self) -> str:
        return f"{self.job}, process {self.pid} on {self.host}"


def _machine() -> str:
    """An identifier of the boot and the container, within which process ids are unique."""
    try:
        return f"{_BOOT.read_text().strip()}/{os.readlink(_PROCESSES)}"
    except OSError:
        return ""


class LeaseState(BaseModel):
    """The content of the lease object.

    Attributes:
        token: number of the holder, from 1.
        holder: the current or last holder.
        expires_at: expiry time, UTC.
        renewals: number of renewals; an increase shows that the holder is alive, independent of its clock.
        is_released: whether the holder released it.
    """

    model_config = ConfigDict(frozen=True)

    token: int
    holder: Holder
    expires_at: datetime
    renewals: int = 0
    is_released: bool = False

    def is_free(self) -> bool:
        """Whether another process may take the lease, independent of clocks."""
        return self.is_released or self.holder.is_dead()

    def seems_held(self, now: datetime) -> bool:
        """Whether it was renewed recently; an expiry beyond the lifetime of a lease indicates a wrong clock."""
        return self.expires_at - LASTS <= now < self.expires_at


class Lease:
    """A lease held by the current process; created by ``hold_lease``.

    Attributes:
        left_behind: previous holder that did not release the lease; None if there is none.
        is_kept: whether to keep the lease at the end of its block, because the next holder must clean up.
    """

    def __init__(
        self, store: ObjectStore, state: LeaseState, version: str, clock: Clock, left_behind: Holder | None
    ) -> None:
        self.left_behind = left_behind
        self.is_kept = False
        self._store = store
        self._state = state
        self._version = version
        self._clock = clock
        self._writing = threading.Lock()

    @property
    def token(self) -> int:
        """Number of the holder, greater than all earlier ones."""
        return self._state.token

    def renew(self) -> None:
        """Check that the current process still holds the lease, and extend it.

        A late renewal succeeds if no other process has taken the lease.

        Raises:
            AnotherWriter: another process has taken it.
            EnvironmentProblem: the storage does not answer.
        """
        self._write(lambda state: {"expires_at": self._clock() + LASTS, "renewals": state.renewals + 1})

    @property
    def is_released(self) -> bool:
        """Whether the lease was released."""
        return self._state.is_released

    def release(self) -> None:
        """Release the lease; if this fails, the lease expires."""
        with suppress(CqaError):
            self._write(lambda state: {"is_released": True})

    def _write(self, changed: Callable[[LeaseState], dict[str, object]]) -> None:
        with self._writing:
            state = self._state.model_copy(update=changed(self._state))
            try:
                self._version = self._store.replace(KEY, _bytes(state), self._version)
            except Changed as error:
                raise AnotherWriter(
                    "this process can no longer write: another process has taken the lease",
                    "run the job again when the other is done; nothing was published",
                ) from error
            self._state = state


def take_lease(store: ObjectStore, holder: Holder, clock: Clock, *, after: int = 0, sleep: Sleep = time.sleep) -> Lease:
    """Take the lease of a lake.

    Args:
        store: the lake's objects.
        holder: the new holder.
        clock: returns the time, with a time zone.
        after: highest token in other records, used if the lease object was removed.
        sleep: waits for a number of seconds.

    Raises:
        AnotherWriter: another process holds it; the message names the holder and the expiry.
    """
    stored = store.read(KEY)
    before = _state(store, stored) if stored else None
    if before is not None and not before.is_free():
        if before.seems_held(clock()):
            raise _held(store, before)
        sleep(WATCHED_FOR.total_seconds())
        # If the lease changes in the meantime, the conditional write below fails.
    token = max(before.token if before else 0, after) + 1
    state = LeaseState(token=token, holder=holder, expires_at=clock() + LASTS)
    try:
        version = store.create_or_replace(KEY, _bytes(state), stored.version if stored else None)
    except Changed as error:
        first = store.read(KEY)
        if first is None:
            raise AnotherWriter(f"{store.root}/{KEY} was removed just now", "run the job again") from error
        raise _held(store, _state(store, first)) from error
    left_behind = before.holder if before is not None and not before.is_released else None
    return Lease(store, state, version, clock, left_behind)


@contextmanager
def hold_lease(
    store: ObjectStore, holder: Holder, clock: Clock | None = None, *, after: int = 0, sleep: Sleep = time.sleep
) -> Iterator[Lease]:
    """Take the lease, renew it while the block runs, and release it.

    Args:
        store: the lake's objects.
        holder: the new holder.
        clock: returns the time, with a time zone; None for the machine's clock.
        after: as for ``take_lease``.
        sleep: as for ``take_lease``.

    Raises:
        AnotherWriter: another process holds it.
    """
    lease = take_lease(store, holder, clock or (lambda: datetime.now(UTC)), after=after, sleep=sleep)
    ended = threading.Event()
    renewing = threading.Thread(target=_keep_renewing, args=(lease, ended), name="lease", daemon=True)
    renewing.start()
    try:
        yield lease
    except BaseException as error:
        _release(lease, renewing, ended)
        if lease.is_released:
            error.add_note(f"the lease of {store.root} is released")
        raise
    _release(lease, renewing, ended)


def _release(lease: Lease, renewing: threading.Thread, ended: threading.Event) -> None:
    with uninterrupted():
        ended.set()
        renewing.join()
        if not lease.is_kept:
            lease.release()


def _keep_renewing(lease: Lease, ended: threading.Event) -> None:
    while not ended.wait(RENEWED_EVERY.total_seconds()):
        try:
            lease.renew()
        except AnotherWriter:
            return
        except CqaError:
            continue  # the storage does not answer; the next attempt is made before the lease expires


def _state(store: ObjectStore, stored: Stored) -> LeaseState:
    try:
        return LeaseState.model_validate_json(stored.data)
    except ValidationError as error:
        remedy = "make sure that no job writes the lake, then remove the file"
        raise damaged(store.root, KEY, first_mistake(error), remedy) from error


def _bytes(state: LeaseState) -> bytes:
    return state.model_dump_json(indent=2).encode()


def _held(store: ObjectStore, state: LeaseState) -> AnotherWriter:
    expiry = f"{state.expires_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return AnotherWriter(
        f"{store.root} is being written by {state.holder}, until {expiry} unless it renews its lease",
        "wait for it, or stop it: a lease that is not renewed expires at that time",
    )
