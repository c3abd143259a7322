"""The seams between the lake and its storage: every call to the object store and to deltalake, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import deltalake
import pytest
from deltalake.exceptions import DeltaError

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.lake import delta_tables
from cqa_spark.lake import lake as storage
from cqa_spark.object_store.locations import open_store

Fault = Callable[["Seams", Callable[[], Any], bool], Any]
"""What happens at a call: it is given the seams, the call, and whether deltalake makes it."""


_WRITES = ("put", "create", "replace", "delete", "add_columns")


class Killed(BaseException):
    """The process ended; what it would do afterwards does not happen."""


class Seams:
    """Counts the calls of a block, and lets one go wrong.

    Args:
        fault: what happens at the chosen call.
        call: its number, from 1.
        only_writes: count only the calls that write, where those that read make no difference.
    """

    def __init__(self, fault: Fault, call: int, *, only_writes: bool) -> None:
        self._only_writes = only_writes
        self.calls = 0
        self.names: list[str] = []
        self.is_dead = False
        self.is_down = False
        self._fault = fault
        self._call = call
        self._is_off = False

    @property
    def happened(self) -> bool:
        """Whether the block made the chosen call."""
        return self.calls >= self._call

    @contextmanager
    def off(self) -> Iterator[None]:
        """Calls of the block are another process's."""
        self._is_off = True
        try:
            yield
        finally:
            self._is_off = False

    def pass_through(self, name: str, call: Callable[[], Any], *, of_deltalake: bool = False) -> Any:
        """Make a call, unless it is the one to go wrong."""
        if self._is_off:
            return call()
        if self.is_dead:
            raise Killed
        if self._only_writes and not name.startswith(_WRITES):
            return call()
        self.calls += 1
        self.names.append(name)
        if self.calls == self._call or self.is_down:
            return self._fault(self, call, of_deltalake)
        return call()


def killed_before(seams: Seams, call: Callable[[], Any], of_deltalake: bool) -> Any:
    seams.is_dead = True
    raise Killed


def fails_once(seams: Seams, call: Callable[[], Any], of_deltalake: bool) -> Any:
    raise DeltaError("made up") if of_deltalake else EnvironmentProblem("made up", "try again")


def answer_lost(seams: Seams, call: Callable[[], Any], of_deltalake: bool) -> Any:
    call()
    return fails_once(seams, call, of_deltalake)


def fails_from_here(seams: Seams, call: Callable[[], Any], of_deltalake: bool) -> Any:
    seams.is_down = True
    return fails_once(seams, call, of_deltalake)


def pausing(meanwhile: Callable[[], object]) -> Fault:
    """The process pauses before the call, while another one does something."""

    def pause(seams: Seams, call: Callable[[], Any], of_deltalake: bool) -> Any:
        with seams.off():
            meanwhile()
        return call()

    return pause


@contextmanager
def seams(fault: Fault, call: int, *, only_writes: bool = False) -> Iterator[Seams]:
    """Lead the calls of a block through seams."""
    between = Seams(fault, call, only_writes=only_writes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(storage, "open_store", lambda *given: _Store(open_store(*given), between))
        patched.setattr(delta_tables, "DeltaTable", _DeltaTables(between))
        create = delta_tables.create_table_with_add_actions
        patched.setattr(
            delta_tables,
            "create_table_with_add_actions",
            lambda *given, **named: between.pass_through(
                "create table", lambda: create(*given, **named), of_deltalake=True
            ),
        )
        yield between


class _Store:
    """An object store behind the seams; every file of a deletion is a call."""

    def __init__(self, store: Any, between: Seams) -> None:
        self.root = store.root
        self._store = store
        self._between = between

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            return self._between.pass_through(f"{name} {given}", lambda: getattr(self._store, name)(*given, **named))

        return called

    def delete_all(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._between.pass_through(f"delete {key}", lambda key=key: self._store.delete_all([key]))


class _DeltaTables:
    """The class of Delta tables behind the seams."""

    def __init__(self, between: Seams) -> None:
        self._between = between

    def __call__(self, *given: Any, **named: Any) -> _DeltaTable:
        call = lambda: deltalake.DeltaTable(*given, **named)  # noqa: E731
        return _DeltaTable(self._between.pass_through("open", call, of_deltalake=True), self._between)


class _DeltaTable:
    """An open table whose methods are calls."""

    def __init__(self, table: Any, between: Seams) -> None:
        self._table = table
        self._between = between

    @property
    def alter(self) -> _DeltaTable:
        return _DeltaTable(self._table.alter, self._between)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            return self._between.pass_through(
                name, lambda: getattr(self._table, name)(*given, **named), of_deltalake=True
            )

        return called
