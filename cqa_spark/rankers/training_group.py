"""The workers that train one model: tasks of a barrier stage, connected by XGBoost's collective library."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread, get_ident
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

from cqa_spark.errors import ConfigError
from cqa_spark.spark.session import executors_come_and_go, is_local_master

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TrainingGroup:
    """The workers that train one model, seen from one of them; all call the same methods in the same order.

    Attributes:
        number: number of this worker, from 0.
        workers: number of workers.
        cores: number of cores that this worker may use.
    """

    number: int = 0
    workers: int = 1
    cores: int = 1

    def total(self, values: Floats) -> Floats:
        """The sums of the values of all workers, the same in each; the order of additions depends on their number."""
        return self._reduced(values, "SUM")

    def highest(self, values: Floats) -> Floats:
        """The maxima of the values of all workers."""
        return self._reduced(values, "MAX")

    def from_first(self, values: Floats) -> Floats:
        """The values of worker 0; the values of other workers are ignored."""
        return self.total(values if self.number == 0 else np.zeros_like(values))

    def _reduced(self, values: Floats, operation: str) -> Floats:
        if self.workers == 1:
            return values
        collective = import_xgboost().collective
        reduced: Floats = collective.allreduce(values, collective.Op[operation])
        return reduced


@contextmanager
def group_of_tasks(workers: int, cores: int = 1) -> Iterator[TrainingGroup]:
    """Connect this task with the other tasks of its stage, until the block ends.

    Args:
        workers: number of tasks; more than one require a barrier stage.
        cores: number of cores that each task may use.
    """
    if workers == 1:
        yield TrainingGroup(cores=cores)
        return
    task = BarrierTaskContext.get()
    number = task.partitionId()
    host = task.getTaskInfos()[0].address.rpartition(":")[0]
    tracker = json.dumps(started_tracker(host, workers)) if number == 0 else ""
    with connected(number, workers, json.loads(task.allGather(tracker)[0]), cores) as group:
        yield group
    task.barrier()  # keep the task of the tracker until all connections are closed


def started_tracker(host: str, workers: int) -> dict[str, Any]:
    """Start a thread that tells the workers each other's addresses; returns its own address, for ``connected``."""
    import_xgboost()
    from xgboost.tracker import RabitTracker

    tracker = RabitTracker(n_workers=workers, host_ip=host or "127.0.0.1", sortby="task")
    tracker.start()
    Thread(target=tracker.wait_for, daemon=True).start()
    return tracker.worker_args()


@contextmanager
def connected(number: int, workers: int, tracker: dict[str, Any], cores: int = 1) -> Iterator[TrainingGroup]:
    """Connect a worker with all others, until the block ends.

    Args:
        number: number of this worker, from 0.
        workers: number of workers.
        tracker: address of the tracker.
        cores: number of cores that each worker may use.
    """
    library = import_xgboost()
    with library.config_context(verbosity=0):
        library.collective.init(**tracker, dmlc_task_id=str(number))
        yield TrainingGroup(number, workers, cores)
        library.collective.finalize()  # not after a failure, as it waits for the others


def cores_of_worker(session: SparkSession, workers: int) -> int:
    """How many cores a worker may use: those of its task; on one machine, all of them if it is the only worker.

    Args:
        session: trains.
        workers: number of workers.
    """
    context = session.sparkContext
    if workers == 1 and is_local_master(context.master):
        return context.defaultParallelism
    return int(context.getConf().get("spark.task.cpus", "1"))


def require_executors_for(workers: int) -> None:
    """Check, before its work is done, that a barrier stage can run: Spark refuses it if executors come and go.

    Args:
        workers: number of tasks; a single one is an ordinary task, for which executors may come and go.

    Raises:
        ConfigError: Spark refuses it.
    """
    if workers > 1 and executors_come_and_go():
        raise ConfigError(
            f"{workers} training workers need executors at once, and Spark allocates them dynamically",
            "add --conf spark.dynamicAllocation.enabled=false (on YARN also --num-executors), or set the ranker's "
            "workers to 1",
        )


def import_xgboost() -> ModuleType:
    """Import XGBoost without scikit-learn, which takes three quarters of the import's two seconds; the only import.

    XGBoost works without scikit-learn, which only its estimators need. Every worker imports XGBoost, so on a small
    night the full import would take more time than the trees.
    """
    hidden = _HiddenPackage("sklearn")
    sys.meta_path.insert(0, hidden)
    try:
        import xgboost
    finally:
        sys.meta_path.remove(hidden)
    return xgboost


class _HiddenPackage:
    """An import finder that hides a package from the current thread; other threads may import it meanwhile."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread = get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == self._name and get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is hidden from XGBoost", name=name)
