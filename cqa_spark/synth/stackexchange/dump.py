"""Writes the dump of a generated site with several processes and bounded memory."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from cqa_spark.process.disk_failures import cannot_write
from cqa_spark.process.pool import Pool
from cqa_spark.synth.stackexchange.blocks import block_of_tags, block_of_threads, block_of_users, block_of_wikis
from cqa_spark.synth.stackexchange.plan import USERS_EACH, SitePlan
from cqa_spark.synth.stackexchange.rows import HEAD, TABLES, TAIL


@dataclass(frozen=True)
class Dump:
    """A generated dump.

    Attributes:
        folder: folder of the eight files.
        sizes: size of each file in bytes, by file name without extension.
    """

    folder: Path
    sizes: dict[str, int]


def write_dump(
    output: Path,
    *,
    site: str,
    threads: int,
    seed: int,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    signal: bool = SitePlan.signal,
    duplicates: float = SitePlan.duplicates,
) -> Dump:
    """Generate a site and write its dump; the same arguments give the same bytes for any number of processes.

    Args:
        output: parent of the site's folder, created if it does not exist.
        site: host name, such as ``workshop.stackexchange.com``.
        threads: number of threads.
        seed: random seed.
        workers: number of processes; by default one per processor.
        progress: called with the number of threads written and the total.
        signal: whether good answers are distinguishable; see ``signal.py``.
        duplicates: share of questions that repeat an earlier one in other words.

    Raises:
        EnvironmentProblem: the folder cannot be written to, or its disk is full.
    """
    plan = SitePlan(site, threads, seed, signal, duplicates)
    folder = output / site
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            files: dict[str, BinaryIO] = {
                name: stack.enter_context((folder / f"{name}.xml").open("wb")) for name in TABLES
            }
            for name, file in files.items():
                file.write(HEAD.format(TABLES[name]).encode())
            with Pool(min(workers or os.cpu_count() or 1, plan.blocks)) as pool:
                _write_rows(plan, files, pool, progress or (lambda done, total: None))
            for name, file in files.items():
                file.write(TAIL.format(TABLES[name]).encode())
    except OSError as error:
        raise cannot_write(f"the dump to {folder}", error) from error
    return Dump(folder, {name: (folder / f"{name}.xml").stat().st_size for name in TABLES})


def _write_rows(plan: SitePlan, files: dict[str, BinaryIO], pool: Pool, progress: Callable[[int, int], None]) -> None:
    _append(files, block_of_wikis(plan))
    points, last_seen = np.zeros(plan.users, dtype=np.int64), np.zeros(plan.users, dtype=np.int64)
    tag_counts = np.zeros(plan.tags, dtype=np.int64)
    done = 0
    for block, (rows, tally) in enumerate(pool.in_order(block_of_threads, ((plan, b) for b in range(plan.blocks)))):
        _append(files, rows)
        points[tally.members] += tally.points
        last_seen[tally.members] = np.maximum(last_seen[tally.members], tally.last_seen)
        tag_counts += tally.tag_counts
        done += plan.threads_of(block)
        progress(done, plan.threads)
    parts = [slice(begin, begin + USERS_EACH) for begin in range(0, plan.users, USERS_EACH)]
    users = ((plan, block, points[part], last_seen[part]) for block, part in enumerate(parts))
    for rows in pool.in_order(block_of_users, users):
        _append(files, rows)
    _append(files, block_of_tags(plan, tag_counts))


def _append(files: dict[str, BinaryIO], rows: dict[str, bytes]) -> None:
    for name, content in rows.items():
        files[name].write(content)
