"""The tasks that train a model together, and the messages that they exchange."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Protocol

from pyspark import BarrierTaskContext


class TrainingGroup(Protocol):
    """The tasks of one stage; all of them run at the same time.

    Attributes:
        number: number of this task, from 0.
        tasks: number of tasks.
        host: address of the machine that task 0 runs on.
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
    """The tasks of a barrier stage; to be made in each of them."""

    def __init__(self) -> None:
        self._context = BarrierTaskContext.get()
        self.number: int = self._context.partitionId()
        places = [task.address for task in self._context.getTaskInfos()]
        self.tasks = len(places)
        self.host = places[0].rpartition(":")[0] or places[0]

    def gather(self, message: bytes) -> list[bytes]:
        """Exchange messages through the driver; Spark takes text."""
        return [b64decode(each) for each in self._context.allGather(b64encode(message).decode("ascii"))]
