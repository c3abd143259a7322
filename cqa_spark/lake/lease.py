"""The lease of a lake: one process at a time may write, and an object in the lake says which, and until when.

The object is made and changed by conditional writes alone, so that of several processes one wins. No holder removes it:
its token grows with every holder, and what a holder publishes carries the token (``pointer.py``).

Clocks of machines differ, and jump. A holder therefore never concludes from its clock that it still holds the lease: it
renews, which fails where another process has taken it. And a lease that has expired by the clock of the next process is
watched before it is taken: a holder that lives renews it meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict

from cqa_spark.errors import AnotherWriter, CqaError
from cqa_spark.lake.holder import Holder
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore, Stored
from cqa_spark.process.stop_signals import uninterrupted

KEY = "lease.json"
LASTS = timedelta(minutes=2)
"""Lifetime of a lease without renewal; long enough for a few failed renewals."""

RENEWED_EVERY = LASTS / 4
WATCHED_FOR = 2 * RENEWED_EVERY
"""How long a lease that looks expired is watched for renewals."""

Clock = Callable[[], datetime]
Sleep = Callable[[float], None]


class LeaseState(BaseModel):
    """The content of the lease object.

    Attributes:
        token: number of the holder, from 1.
        holder: who holds or held the lease.
        expires_at: expiry time, UTC.
        renewals: number of renewals; it shows that the holder runs, independent of its clock.
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
        """Whether it was renewed recently; an expiry further ahead than a lease lasts comes from a wrong clock."""
        return self.expires_at - LASTS <= now < self.expires_at


class Lease:
    """A lease that this process took; ``hold_lease`` makes it.

    Attributes:
        left_behind: previous holder that did not release the lease; None if there is none.
        is_kept: whether the lease is not released when its block ends, because the next holder has to clean up.
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
        """Number of the holder; each is greater than all before."""
        return self._state.token

    def renew(self) -> None:
        """Check that this process still holds the lease, and extend it.

        A renewal that comes late succeeds where no other process has taken the lease.

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
        """Release the lease; one that cannot be released expires."""
        with suppress(CqaError):
            self._write(lambda state: {"is_released": True})

    def _write(self, changed: Callable[[LeaseState], dict[str, object]]) -> None:
        with self._writing:
            state = self._state.model_copy(update=changed(self._state))
            try:
                self._version = self._store.replace(KEY, _bytes(state), self._version)
            except Changed as error:
                raise AnotherWriter(
                    "this process may write no more: another process has taken the lease",
                    "run the job again when the other is done; nothing was published",
                ) from error
            self._state = state


def take_lease(store: ObjectStore, holder: Holder, clock: Clock, *, after: int = 0, sleep: Sleep = time.sleep) -> Lease:
    """Take the lease of a lake.

    Args:
        store: the lake's objects.
        holder: who takes it.
        clock: gives the time, with a time zone.
        after: highest token in use, known from other records; it counts if the lease object was removed.
        sleep: waits so many seconds.

    Raises:
        AnotherWriter: another process holds it; who, and until when.
    """
    stored = store.read(KEY)
    before = _state(stored) if stored else None
    if before is not None and not before.is_free():
        if before.seems_held(clock()):
            raise _held(store, before)
        sleep(WATCHED_FOR.total_seconds())
        # If the lease changes meanwhile, the conditional write below fails.
    token = max(before.token if before else 0, after) + 1
    state = LeaseState(token=token, holder=holder, expires_at=clock() + LASTS)
    try:
        version = store.replace(KEY, _bytes(state), stored.version) if stored else store.create(KEY, _bytes(state))
    except (AlreadyThere, Changed) as error:
        first = store.read(KEY)
        assert first is not None, "another process has just created it"
        raise _held(store, _state(first)) from error
    left_behind = before.holder if before is not None and not before.is_released else None
    return Lease(store, state, version, clock, left_behind)


@contextmanager
def hold_lease(
    store: ObjectStore, holder: Holder, clock: Clock | None = None, *, after: int = 0, sleep: Sleep = time.sleep
) -> Iterator[Lease]:
    """Take the lease, renew it while the block runs, and release it.

    Args:
        store: the lake's objects.
        holder: who takes it.
        clock: gives the time, with a time zone; None for the machine's.
        after: as for ``take_lease``.
        sleep: as for ``take_lease``.

    Raises:
        AnotherWriter: another process holds it.
    """
    lease = take_lease(store, holder, clock or _now, after=after, sleep=sleep)
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
            continue  # the storage does not answer; the next try comes before the lease expires


def _state(stored: Stored) -> LeaseState:
    return LeaseState.model_validate_json(stored.data)


def _bytes(state: LeaseState) -> bytes:
    return state.model_dump_json(indent=2).encode()


def _held(store: ObjectStore, state: LeaseState) -> AnotherWriter:
    return AnotherWriter(
        f"{store.root} is being written by {state.holder}, until {_time(state.expires_at)} unless it renews its lease",
        "wait for it, or end it: a lease that is not renewed expires at that time",
    )


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _now() -> datetime:
    return datetime.now(UTC)
