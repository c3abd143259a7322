"""Trains boosted trees with XGBoost in the tasks of a group."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from cqa_spark.rankers.training.group import TrainingGroup
from cqa_spark.rankers.training.rows import TaskRows, chunks
from cqa_spark.rankers.xgboost_import import import_xgboost

if TYPE_CHECKING:
    import xgboost

ROWS_AT_A_TIME = 10_000
"""XGBoost reads the rows four times, and each call takes as long as the values of several hundred rows."""


@dataclass(frozen=True)
class TreeLearning:
    """Grows trees by the histogram method; the tasks sum the histograms of a level before splitting its nodes.

    Batches of 32-bit floats are converted to a quantile matrix with one byte per value, the only copy of the rows in
    memory.

    Attributes:
        parameters: parameters of XGBoost.
        trees: number of trees.
        features: names of the features.
        by_query: whether the objective compares candidates within a query.
    """

    parameters: Mapping[str, Any]
    trees: int
    features: tuple[str, ...]
    by_query: bool

    def __call__(self, rows: TaskRows, group: TrainingGroup) -> str | None:
        """XGBoost's model as JSON, in task 0."""
        library = import_xgboost()
        with library.config_context(verbosity=0), _communicator(group):
            booster = library.train(dict(self.parameters), self._matrix(rows), self.trees)
        return booster.save_raw("json").decode() if group.number == 0 else None

    def _matrix(self, rows: TaskRows) -> xgboost.QuantileDMatrix:
        library = import_xgboost()
        features, by_query = list(self.features), self.by_query
        queries = np.repeat(np.arange(1, len(rows.query_starts) + 1), np.diff(rows.query_starts, append=len(rows)))

        class Batches(library.DataIter):  # type: ignore[name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.reset()

            def reset(self) -> None:
                self._places = chunks(0, len(rows), ROWS_AT_A_TIME)

            def next(self, input_data: Callable[..., Any]) -> bool:
                place = next(self._places, None)
                if place is None:
                    return False
                part = slice(*place)
                compared = {"qid": queries[part]} if by_query else {}
                input_data(data=rows.values(*place), label=rows.targets[part], feature_names=features, **compared)
                return True

        return library.QuantileDMatrix(Batches(), nthread=1)


@contextmanager
def _communicator(group: TrainingGroup) -> Iterator[None]:
    """Connect XGBoost's workers, one per task; the tracker runs in the first task."""
    from xgboost.collective import CommunicatorContext
    from xgboost.tracker import RabitTracker

    if group.tasks == 1:
        yield
        return
    message = b""
    if group.number == 0:
        tracker = RabitTracker(n_workers=group.tasks, host_ip=group.host, sortby="task")
        tracker.start()
        Thread(target=tracker.wait_for, daemon=True).start()
        message = json.dumps(tracker.worker_args()).encode()
    arguments = json.loads(group.gather(message)[0])
    with CommunicatorContext(**arguments, dmlc_task_id=str(group.number)):
        yield
    group.gather(b"")  # keep the first task until all connections are closed
