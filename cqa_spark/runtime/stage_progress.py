"""Progress inside a long step: rows and megabytes read, tasks, and the estimated remaining time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from cqa_spark.process.terminal import Terminal
from cqa_spark.spark.internals import RunningStage

EVERY = 15.0
"""Seconds between two lines."""

_MEGABYTE = 1e6
_MINUTE = 60


class StageWatch:
    """Records the start of stages, and describes the one that has run longest."""

    def __init__(self) -> None:
        self._since: dict[int, float] = {}

    def look(self, running: Sequence[RunningStage], now: float) -> str:
        """A line about the longest running stage; empty if all stages have just started.

        Args:
            running: the running stages.
            now: current time in seconds.
        """
        self._since = {stage.stage_id: self._since.get(stage.stage_id, now) for stage in running}
        seen = [stage for stage in running if self._since[stage.stage_id] < now]
        if not seen:
            return ""
        longest = min(seen, key=lambda stage: (self._since[stage.stage_id], stage.stage_id))
        return described(longest, now - self._since[longest.stage_id])


def described(stage: RunningStage, seconds: float) -> str:
    """The progress of a stage, and the remaining time if the remaining tasks take as long as those that have ended.

    Before one has ended, the time so far: a training that runs for an hour is one task.

    Args:
        stage: the stage.
        seconds: its running time.
    """
    # Of tasks that read files themselves, Spark counts neither.
    read = f"{stage.rows:,} rows, {stage.bytes / _MEGABYTE:,.0f} MB, " if stage.rows or stage.bytes else ""
    remaining = seconds * (stage.tasks - stage.done) / stage.done if stage.done else None
    times = f"{_rounded(seconds)} so far" if remaining is None else f"about {_rounded(remaining)} left"
    return f"  … {read}{stage.done:,} of {stage.tasks:,} tasks, {times}"


@contextmanager
def stages_shown(running: Callable[[], Sequence[RunningStage]]) -> Iterator[None]:
    """Print the progress of long stages on standard error while the block runs.

    Args:
        running: returns the running stages.
    """
    ended = Event()

    def show() -> None:
        watch, terminal = StageWatch(), Terminal(stderr=True)
        while not ended.wait(EVERY):
            try:
                line = watch.look(running(), monotonic())
            except Exception:  # Java may have ended; the step that needs it reports this
                return
            if line:
                terminal.line(line)

    thread = Thread(target=show, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _rounded(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 2 * _MINUTE else f"{round(seconds / _MINUTE)} min"
