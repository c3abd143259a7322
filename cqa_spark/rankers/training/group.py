"""The tasks that train a model together, and the messages that they exchange."""

from __future__ import annotations

import json
import secrets
import socket
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Client, Connection, wait
from typing import Protocol

from pyspark import BarrierTaskContext

PATIENCE_SECONDS = 120.0
"""How long task 0 waits for connections; longer than a task takes to start."""

_KEY = 32
_LENGTH = 8
"""Bytes of a number: of a task, or of the bytes of one of several messages that are sent as one."""


class TrainingGroup(Protocol):
    """The tasks of one stage; all of them run at the same time.

    Attributes:
        number: number of this task, from 0.
        tasks: number of tasks.
        host: address of the machine of task 0.
    """

    number: int
    tasks: int
    host: str

    def gather(self, message: bytes) -> list[bytes]:
        """Send a message to all tasks, and wait for theirs.

        Returns:
            The messages of all tasks, in the order of their numbers.
        """


class SingleTask:
    """A task that trains alone."""

    number, tasks, host = 0, 1, "127.0.0.1"

    def gather(self, message: bytes) -> list[bytes]:
        """The message itself."""
        return [message]


class BarrierTasks:
    """The tasks of a barrier stage; create one instance in each task. A message takes a second."""

    def __init__(self) -> None:
        self._context = BarrierTaskContext.get()
        self.number: int = self._context.partitionId()
        places = [task.address for task in self._context.getTaskInfos()]
        self.tasks = len(places)
        self.host = places[0].rpartition(":")[0] or places[0]

    def gather(self, message: bytes) -> list[bytes]:
        """Exchange messages through the driver, which polls once a second; encoded as text for Spark."""
        return [b64decode(each) for each in self._context.allGather(b64encode(message).decode("ascii"))]


class ConnectedTasks:
    """The tasks of a group, connected to task 0, which relays their messages.

    Task 0 accepts only connections with a key that it sends through the group.

    Args:
        group: exchanges the address and the key.
        seconds: how long task 0 waits for connections.

    Raises:
        TimeoutError: not all tasks have connected in time.
    """

    def __init__(self, group: TrainingGroup, seconds: float = PATIENCE_SECONDS) -> None:
        self.number, self.tasks, self.host = group.number, group.tasks, group.host
        self._connections = _accepted(group, seconds) if group.number == 0 else [_connected(group)]

    def gather(self, message: bytes) -> list[bytes]:
        """Exchange messages through task 0."""
        if self.number > 0:
            (to_first,) = self._connections
            to_first.send_bytes(message)
            return list(_parted(to_first.recv_bytes()))
        messages = [message, *[each.recv_bytes() for each in self._connections]]
        joined = _joined(messages)
        for each in self._connections:
            each.send_bytes(joined)
        return messages

    def close(self) -> None:
        """Close the connections."""
        for each in self._connections:
            each.close()


@contextmanager
def group_of_tasks(tasks: int) -> Iterator[TrainingGroup]:
    """The group of this task, connected until the block ends.

    Args:
        tasks: number of tasks; more than one require a barrier stage.
    """
    if tasks == 1:
        yield SingleTask()
        return
    connected = ConnectedTasks(BarrierTasks())
    try:
        yield connected
    finally:
        connected.close()


def _accepted(group: TrainingGroup, seconds: float) -> list[Connection]:
    """Connections from task 0 to the other tasks, in order of their numbers."""
    key, deadline = secrets.token_bytes(_KEY), time.monotonic() + seconds
    found: dict[int, Connection] = {}
    silent: list[Connection] = []
    with socket.create_server((group.host, 0), backlog=socket.SOMAXCONN) as server:
        group.gather(json.dumps({"port": server.getsockname()[1], "key": key.hex()}).encode())
        while len(found) < group.tasks - 1:
            ready = wait([server, *silent], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(
                    f"{len(found)} of {group.tasks - 1} training workers connected to {group.host} within "
                    f"{seconds:.0f} s; allow connections between executors on all ports, or train with workers: 1"
                )
            if server in ready:
                silent.append(Connection(server.accept()[0].detach()))
            for each in [each for each in silent if each in ready]:
                silent.remove(each)
                number = _number(each, key)
                if number is None:
                    each.close()
                else:
                    found[number] = each
    for each in silent:
        each.close()
    return [found[number] for number in sorted(found)]


def _number(connection: Connection, key: bytes) -> int | None:
    """The number of the task at the other end; None if it does not know the key."""
    try:
        message = connection.recv_bytes(_KEY + _LENGTH)
    except (OSError, EOFError):
        return None
    is_ours = secrets.compare_digest(message[:_KEY], key) and len(message) == _KEY + _LENGTH
    return int.from_bytes(message[_KEY:], "big") if is_ours else None


def _connected(group: TrainingGroup) -> Connection:
    """The connection from another task to task 0."""
    place = json.loads(group.gather(b"")[0])
    connection = Client((group.host, place["port"]))
    connection.send_bytes(bytes.fromhex(place["key"]) + group.number.to_bytes(_LENGTH, "big"))
    return connection


def _joined(messages: Iterable[bytes]) -> bytes:
    return b"".join(len(each).to_bytes(_LENGTH, "big") + each for each in messages)


def _parted(joined: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(joined):
        end = start + _LENGTH + int.from_bytes(joined[start : start + _LENGTH], "big")
        yield joined[start + _LENGTH : end]
        start = end
