"""Progress of Spark's running stages, from the driver's status store; works without Spark's UI."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class RunningStage:
    """A running stage.

    Attributes:
        stage_id: its id.
        tasks: number of its tasks.
        done: number of tasks that have ended.
        rows: records that the tasks have read, from files and from earlier stages.
        bytes: bytes that the tasks have read.
    """

    stage_id: int
    tasks: int
    done: int
    rows: int
    bytes: int


def running_stages(session: SparkSession) -> list[RunningStage]:
    """The running stages."""
    found = session.sparkContext._jsc.sc().statusStore().activeStages()
    return [
        RunningStage(
            stage.stageId(),
            stage.numTasks(),
            stage.numCompleteTasks(),
            stage.inputRecords() + stage.shuffleReadRecords(),
            stage.inputBytes() + stage.shuffleReadBytes(),
        )
        for stage in (found.apply(place) for place in range(found.size()))
    ]
