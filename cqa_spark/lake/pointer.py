"""The pointer to the published runs of a lake: a small object that changes only by compare-and-swap.

It also names the runs that are kept and those that are collected, so that neither is decided twice.

A process that takes the lake's lease first writes its token into the object. A later swap by an earlier holder then
fails, because the object has changed since that holder read it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, ValidationError

from cqa_spark.errors import AnotherWriter, ConfigError, ContractError
from cqa_spark.lake.run_log import RunRecord, from_stored, to_stored
from cqa_spark.object_store.store import Changed, ObjectStore, damaged, first_mistake

KEY = "published.json"
FORMAT = 2


class Pointer(BaseModel):
    """The content of the object.

    Attributes:
        format: of the lake; a release reads one format.
        token: of the last holder of the lease; holders with smaller tokens may not publish.
        record: the record of the latest publication, with its number in the run log; None before the first one.
        others: the records of the publications of other corpora, the latest first.
        kept: ids of the runs that users keep.
        collected: attempts of runs whose files are being deleted, as ``RUN.ATTEMPT``; they can never be published.
    """

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    token: int = 0
    record: RunRecord | None = None
    others: tuple[RunRecord, ...] = ()
    kept: tuple[str, ...] = ()
    collected: tuple[str, ...] = ()

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """The published run of every corpus, the latest first."""
        return (self.record, *self.others) if self.record is not None else ()

    def publishing(self, record: RunRecord) -> Pointer:
        """The pointer to another run of its corpus, and to the published ones of all other corpora."""
        others = tuple(shown for shown in self.records if shown.corpus != record.corpus)
        return self.model_copy(update={"record": record, "others": others})

    def relocated(self, relocate: Callable[[RunRecord], RunRecord]) -> Pointer:
        """The pointer with other paths of artifacts in its records."""
        record = relocate(self.record) if self.record is not None else None
        return self.model_copy(update={"record": record, "others": tuple(map(relocate, self.others))})


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
        except Changed:
            continue  # an earlier holder has just published; read the new state
        return claimed


def change_pointer(store: ObjectStore, token: int, change: Callable[[Pointer], Pointer]) -> Pointer:
    """Change the pointer, and return it.

    Args:
        store: the lake's objects.
        token: token of the lease, claimed before.
        change: gives the new content.

    Raises:
        AnotherWriter: another process has taken the lease.
    """
    pointer, version = _read(store)
    if pointer.token != token:
        raise _too_late(pointer, token)
    changed = change(pointer)
    try:
        _write(store, changed, version)
    except Changed as error:
        raise _too_late(read_pointer(store), token) from error
    return changed


def write_anew(store: ObjectStore, pointer: Pointer) -> Pointer:
    """Write a pointer in the place of one that may be damaged or missing; return it, with the runs that users keep.

    Args:
        store: the lake's objects.
        pointer: with the token of the lease.

    Raises:
        ConfigError: another release wrote the lake.
        AnotherWriter: another process has just written it.
    """
    stored = store.read(KEY)
    with suppress(ContractError):
        pointer = pointer.model_copy(update={"kept": read_pointer(store).kept})
    try:
        _write(store, pointer, stored.version if stored else None)
    except Changed as error:
        raise _too_late(read_pointer(store), pointer.token) from error
    return pointer


def restore_advice(root: str) -> str:
    """What to do about a pointer that is damaged, missing or outdated.

    Args:
        root: the lake.
    """
    return f"write it anew from the run log: cqa runs restore-pointer --lake {shlex.quote(root)}"


def _read(store: ObjectStore) -> tuple[Pointer, str | None]:
    stored = store.read(KEY)
    if stored is None:
        return Pointer(), None
    try:
        _refuse_other_format(store.root, stored.data)
        pointer = Pointer.model_validate_json(stored.data)
    except ValidationError as error:
        raise damaged(store.root, KEY, first_mistake(error), restore_advice(store.root)) from error
    return pointer.relocated(lambda record: from_stored(record, store.root)), stored.version


class _Format(BaseModel):
    format: int = 1


def _refuse_other_format(root: str, data: bytes) -> None:
    """Check the format of the lake.

    Raises:
        ConfigError: another release wrote the lake.
        ValidationError: the object is damaged.
    """
    stored_format = _Format.model_validate_json(data).format
    if stored_format == FORMAT:
        return
    version, remedy = "a newer version", "update cqa-spark"
    if stored_format < FORMAT:
        version, remedy = "an older version", "read the dumps again into a new lake: --lake NEW"
    raise ConfigError(f"the lake at {root} was written by {version} of cqa-spark; nothing was written", remedy)


def _write(store: ObjectStore, pointer: Pointer, version: str | None) -> None:
    stored = pointer.relocated(lambda record: to_stored(record, store.root))
    store.create_or_replace(KEY, stored.model_dump_json(indent=2).encode(), version)


def _too_late(pointer: Pointer, token: int) -> AnotherWriter:
    return AnotherWriter(
        f"not published: writer {pointer.token} has taken the lake over from this one, writer {token}",
        "run the job again after the other one has finished; this process published nothing",
    )
