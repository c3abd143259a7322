"""What programs and all that they started take, and the figures of benchmarks beside those of their peers."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

FIGURES = "CQA_BENCH_FIGURES"
"""The environment variable that names a file for figures, one JSON object a line; ``python bench`` reads it."""


def add_figure(measure: str, ours: float, peer: float, unit: str, named: str) -> None:
    """Add a figure to the table of ``python bench``, if it runs.

    Args:
        measure: what was measured, and on how much.
        ours: our figure.
        peer: that of the peer, in the same run.
        unit: of both, such as ``MB/s``, a speed, or ``s``, a time.
        named: the peer.
    """
    if path := os.environ.get(FIGURES):
        speed = ours / peer if unit.endswith("/s") else peer / ours
        figure = {"measure": measure, "ours": ours, "peer": peer, "unit": unit, "speed": speed, "named": named}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(figure) + "\n")


def in_own_process(script: str, *arguments: str) -> dict[str, Any]:
    """Run a benchmark's program again in a process of its own, and return the JSON object in its last line."""
    answer = subprocess.run([sys.executable, script, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return result


@contextmanager
def peak_memory(*processes: int) -> Iterator[list[int]]:
    """Sample memory until the block ends.

    Args:
        processes: process ids; by default, this process.

    Yields:
        The peak memory of each process tree so far, in bytes, sampled twice per second; shared pages count once.
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


def processor_seconds(root: int) -> float:
    """The time on processors that a process and all below it took so far, those that have ended included."""
    ticks = sum(sum(map(int, fields[11:15])) for fields in _family(root).values())
    return ticks / os.sysconf("SC_CLK_TCK")


def _held(root: int) -> int:
    return sum(map(_share, _family(root)))


def _family(root: int) -> dict[int, list[str]]:
    """A process and all below it, each with the fields of ``/proc/[id]/stat`` from its state on."""
    found: dict[int, list[str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has ended
            found[int(folder.name)] = (folder / "stat").read_text().rpartition(")")[2].split()
    ours = {root}
    while more := {process for process, fields in found.items() if int(fields[1]) in ours} - ours:
        ours |= more
    return {process: found[process] for process in ours & found.keys()}


def _share(process: int) -> int:
    """Proportional set size of a process, in bytes."""
    with suppress(OSError):
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        return next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return 0
