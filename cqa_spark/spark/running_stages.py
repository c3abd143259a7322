"""What the running stages of Spark have done so far, from the driver's own bookkeeping; works without Spark's UI."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class RunningStage:
    """A stage that has not ended.

    Attributes:
        stage_id: its id.
        tasks: number of its tasks.
        done: number of tasks that have ended.
        rows: records that the tasks have read, from files and from earlier stages.
        bytes: what they have read.
    """

    stage_id: int
    tasks: int
    done: int
    rows: int
    bytes: int


def running_stages(session: SparkSession) -> list[RunningStage]:
    """The stages that run at this moment."""
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
