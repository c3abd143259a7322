"""What programs and all that they started hold in memory: Spark's Java processes and their Python workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def peak_memory(*processes: int) -> Iterator[list[int]]:
    """Watch until the block ends.

    Args:
        processes: ids of processes; by default, this one.

    Yields:
        For each process, the bytes that it and all below it held together at most so far, shared pages counted once,
        looked at twice a second.
    """
    roots = processes or (os.getpid(),)
    peak, done = [0] * len(roots), threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            peak[:] = map(max, peak, map(_held, roots))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    yield peak
    done.set()
    watcher.join()


def _held(root: int) -> int:
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    ours = {root}
    while more := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(map(_share, ours))


def _share(process: int) -> int:
    """Bytes that a process holds, with its part of what it shares."""
    with suppress(OSError):
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        return next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return 0
