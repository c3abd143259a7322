"""The tasks that train a model together, and the messages that they exchange."""

from __future__ import annotations

import json
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Client, Connection, Listener
from typing import Protocol

from pyspark import BarrierTaskContext

_LENGTH = 8
"""Bytes before each of several messages that are sent as one."""


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
    """

    def __init__(self, group: TrainingGroup) -> None:
        self.number, self.tasks, self.host = group.number, group.tasks, group.host
        self._connections = _accepted(group) if group.number == 0 else [_connected(group)]

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


def _accepted(group: TrainingGroup) -> list[Connection]:
    """Connections from task 0 to the other tasks, in order of their numbers."""
    key = secrets.token_bytes(32)
    with Listener((group.host, 0), backlog=group.tasks, authkey=key) as listener:
        group.gather(json.dumps({"port": listener.address[1], "key": key.hex()}).encode())
        accepted = [listener.accept() for _ in range(1, group.tasks)]
    numbers = {int.from_bytes(each.recv_bytes(), "big"): each for each in accepted}
    return [numbers[number] for number in sorted(numbers)]


def _connected(group: TrainingGroup) -> Connection:
    """The connection from another task to task 0."""
    place = json.loads(group.gather(b"")[0])
    connection = Client((group.host, place["port"]), authkey=bytes.fromhex(place["key"]))
    connection.send_bytes(group.number.to_bytes(_LENGTH, "big"))
    return connection


def _joined(messages: Iterable[bytes]) -> bytes:
    return b"".join(len(each).to_bytes(_LENGTH, "big") + each for each in messages)


def _parted(joined: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(joined):
        end = start + _LENGTH + int.from_bytes(joined[start : start + _LENGTH], "big")
        yield joined[start + _LENGTH : end]
        start = end
