"""The workers that train a model together: tasks of one barrier stage, connected by XGBoost's collective library."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark import BarrierTaskContext

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.xgboost_import import import_xgboost
from cqa_spark.spark.session import executors_come_and_go

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TrainingGroup:
    """The workers of one model, seen from one of them; all call the same methods in the same order.

    Attributes:
        number: number of this worker, from 0.
        workers: number of workers.
    """

    number: int = 0
    workers: int = 1

    def total(self, values: Floats) -> Floats:
        """The sums of the values of all workers, the same in each; the order of additions depends on their number."""
        return self._reduced(values, "SUM")

    def highest(self, values: Floats) -> Floats:
        """The maxima of the values of all workers."""
        return self._reduced(values, "MAX")

    def from_first(self, values: Floats) -> Floats:
        """The values of worker 0; those of the others are ignored."""
        return self.total(values if self.number == 0 else np.zeros_like(values))

    def _reduced(self, values: Floats, operation: str) -> Floats:
        if self.workers == 1:
            return values
        collective = import_xgboost().collective
        reduced: Floats = collective.allreduce(values, collective.Op[operation])
        return reduced


@contextmanager
def group_of_tasks(workers: int) -> Iterator[TrainingGroup]:
    """The group of this task, connected until the block ends.

    Args:
        workers: number of tasks; more than one require a barrier stage.
    """
    if workers == 1:
        yield TrainingGroup()
        return
    task = BarrierTaskContext.get()
    number = task.partitionId()
    host = task.getTaskInfos()[0].address.rpartition(":")[0]
    tracker = json.dumps(started_tracker(host, workers)) if number == 0 else ""
    with connected(number, workers, json.loads(task.allGather(tracker)[0])) as group:
        yield group
    task.barrier()  # keep the task of the tracker until all connections are closed


def require_executors_for(workers: int) -> None:
    """Check, before Spark starts, that a barrier stage can run: Spark refuses it if executors come and go.

    Args:
        workers: number of tasks; a single one is an ordinary task, for which executors may come and go.

    Raises:
        ConfigError: Spark refuses it.
    """
    if workers > 1 and executors_come_and_go():
        raise ConfigError(
            f"{workers} training workers need executors at once, and Spark allocates them dynamically",
            "add --conf spark.dynamicAllocation.enabled=false, or set the ranker's workers to 1",
        )


def started_tracker(host: str, workers: int) -> dict[str, Any]:
    """Start the tracker, which tells workers each other's addresses, in a thread; returns its own for ``connected``."""
    import_xgboost()
    from xgboost.tracker import RabitTracker

    tracker = RabitTracker(n_workers=workers, host_ip=host or "127.0.0.1", sortby="task")
    tracker.start()
    Thread(target=tracker.wait_for, daemon=True).start()
    return tracker.worker_args()


@contextmanager
def connected(number: int, workers: int, tracker: dict[str, Any]) -> Iterator[TrainingGroup]:
    """The group of a worker, which is connected with all others until the block ends.

    Args:
        number: number of this worker, from 0.
        workers: number of workers.
        tracker: address of the tracker.
    """
    library = import_xgboost()
    with library.config_context(verbosity=0):
        library.collective.init(**tracker, dmlc_task_id=str(number))
        yield TrainingGroup(number, workers)
        library.collective.finalize()  # not after a failure, as it waits for the others
