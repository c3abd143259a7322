"""The pointer to the published run of a lake: a small object that changes only by compare-and-swap.

A process that takes the lake's lease first writes its token into the object. A later swap by an earlier holder then
fails, because the object has changed since that holder read it.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.artifact_paths import from_stored, to_stored
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore, damaged, first_mistake

KEY = "published.json"


class Pointer(BaseModel):
    """The content of the object.

    Attributes:
        token: of the last holder of the lease; holders with smaller tokens may not publish.
        record: the published run; None before the first publication.
    """

    model_config = ConfigDict(frozen=True)

    token: int = 0
    record: RunRecord | None = None


def read_pointer(store: ObjectStore) -> Pointer:
    """The current pointer."""
    return _read(store)[0]


def claim(store: ObjectStore, token: int) -> Pointer:
    """Exclude all earlier holders of the lease, and return the pointer.

    Args:
        store: the lake's objects.
        token: token of the lease just taken.

    Raises:
        AnotherWriter: a later holder has already claimed the pointer.
    """
    while True:
        pointer, version = _read(store)
        if pointer.token > token:
            raise _too_late(pointer, token)
        claimed = pointer.model_copy(update={"token": token})
        try:
            _write(store, claimed, version)
        except (AlreadyThere, Changed):
            continue  # an earlier holder has just published; read the new state
        return claimed


def point_to(store: ObjectStore, record: RunRecord, token: int) -> None:
    """Publish a run.

    Args:
        store: the lake's objects.
        record: the run.
        token: token of the lease, claimed before.

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
    if stored is None:
        return Pointer(), None
    try:
        pointer = Pointer.model_validate_json(stored.data)
    except ValidationError as error:
        raise damaged(store.root, KEY, first_mistake(error)) from error
    located = from_stored(pointer.record, store.root) if pointer.record is not None else None
    return Pointer(token=pointer.token, record=located), stored.version


def _write(store: ObjectStore, pointer: Pointer, version: str | None) -> None:
    record = to_stored(pointer.record, store.root) if pointer.record is not None else None
    data = Pointer(token=pointer.token, record=record).model_dump_json(indent=2).encode()
    if version is None:
        store.create(KEY, data)
    else:
        store.replace(KEY, data, version)


def _too_late(pointer: Pointer, token: int) -> AnotherWriter:
    return AnotherWriter(
        f"not published: writer {pointer.token} has taken the lake over from this one, writer {token}",
        "run the job again after the other one has finished; this process published nothing",
    )
