"""What readers see of a lake: one small object names the published run, and is changed by compare-and-swap alone.

Who takes the lake's lease puts its token into the object first. The swap of an earlier holder then fails, however late
it comes, since the object is not the one that it has read.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore

KEY = "published.json"


class Pointer(BaseModel):
    """What the object holds.

    Attributes:
        token: of the last holder of the lease; nobody with a smaller one may publish.
        record: the run that readers see; None where nothing was published yet.
    """

    model_config = ConfigDict(frozen=True)

    token: int = 0
    record: RunRecord | None = None


def read_pointer(store: ObjectStore) -> Pointer:
    """What readers see now."""
    return _read(store)[0]


def claim(store: ObjectStore, token: int) -> Pointer:
    """Shut out all earlier holders of the lease, and give what is published.

    Args:
        store: the lake's objects.
        token: of the lease that was just taken.

    Raises:
        AnotherWriter: a later holder was here already.
    """
    while True:
        pointer, version = _read(store)
        if pointer.token > token:
            raise _too_late(pointer, token)
        claimed = pointer.model_copy(update={"token": token})
        try:
            _write(store, claimed, version)
        except (AlreadyThere, Changed):
            continue  # an earlier holder has just published: that is what is published now
        return claimed


def point_to(store: ObjectStore, record: RunRecord, token: int) -> None:
    """Let readers see a run.

    Args:
        store: the lake's objects.
        record: the run.
        token: of the lease, claimed before.

    Raises:
        AnotherWriter: another process has taken the lease.
    """
    pointer, version = _read(store)
    if pointer.token != token:
        raise _too_late(pointer, token)
    try:
        _write(store, Pointer(token=token, record=record), version)
    except (AlreadyThere, Changed) as error:
        raise _too_late(read_pointer(store), token) from error


def _read(store: ObjectStore) -> tuple[Pointer, str | None]:
    stored = store.read(KEY)
    return (Pointer.model_validate_json(stored.data), stored.version) if stored else (Pointer(), None)


def _write(store: ObjectStore, pointer: Pointer, version: str | None) -> None:
    data = pointer.model_dump_json(indent=2).encode()
    if version is None:
        store.create(KEY, data)
    else:
        store.replace(KEY, data, version)


def _too_late(pointer: Pointer, token: int) -> AnotherWriter:
    return AnotherWriter(
        f"not published: writer {pointer.token} has taken the lake over from this one, writer {token}",
        "run the job again when the other is done; what is published stays as the other leaves it",
    )
