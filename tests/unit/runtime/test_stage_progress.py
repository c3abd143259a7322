"""Lines on long stages."""

from cqa_spark.runtime.stage_progress import StageWatch, described
from cqa_spark.spark.internals import RunningStage

LONG = RunningStage(7, tasks=96, done=24, rows=1_250_000, bytes=312_400_000)


def test_the_time_left_is_that_of_the_remaining_tasks() -> None:
    assert described(LONG, 40.0) == "  … 1,250,000 rows, 312 MB, 24 of 96 tasks, about 2 min left"
    assert described(RunningStage(7, 4, 3, 0, 0), 30.0) == "  … 3 of 4 tasks, about 10 s left"
    assert described(RunningStage(7, 4, 3, 10, 0), 30.0) == "  … 10 rows, 0 MB, 3 of 4 tasks, about 10 s left"


def test_nothing_is_promised_before_a_task_has_ended() -> None:
    assert described(RunningStage(7, 4, 0, 10, 2_000_000), 30.0) == "  … 10 rows, 2 MB, 0 of 4 tasks, 30 s so far"
    assert described(RunningStage(7, 2, 0, 0, 0), 720.0) == "  … 0 of 2 tasks, 12 min so far"


def test_only_a_stage_that_was_running_before_is_described() -> None:
    watch, new = StageWatch(), RunningStage(9, 4, 1, 10, 0)
    assert watch.look([LONG], 100.0) == ""
    assert watch.look([new, LONG], 115.0).endswith("24 of 96 tasks, about 45 s left")
    assert watch.look([], 130.0) == ""
    assert watch.look([LONG], 145.0) == ""
