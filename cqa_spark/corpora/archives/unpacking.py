"""Unpacks archives into the staging area, each only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from cqa_spark.corpora.archives.formats import ArchiveFormat, format_of
from cqa_spark.corpora.archives.limits import USUAL_RATIO, Meter, UnpackLimits
from cqa_spark.corpora.archives.members import Tables, choose_tables
from cqa_spark.corpora.archives.sevenzip import SUFFIX as SEVEN_ZIP
from cqa_spark.corpora.archives.sevenzip import SevenZip
from cqa_spark.corpora.archives.source import Archive, identify
from cqa_spark.corpora.archives.staging import Staging, writing_tables
from cqa_spark.corpora.archives.unpacked import Unpacked, read_record, write_record
from cqa_spark.corpora.archives.zstandard import SUFFIX as ZSTANDARD
from cqa_spark.corpora.archives.zstandard import Zstandard
from cqa_spark.errors import ContractError, EnvironmentProblem, InputError

FORMATS: dict[str, ArchiveFormat] = {SEVEN_ZIP: SevenZip(), ZSTANDARD: Zstandard()}

Given = TypeVar("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Plan:
    """An archive to unpack."""

    source: Archive
    tables: Tables

    @property
    def size(self) -> int:
        """Bytes of its tables; an estimate if the archive does not record them."""
        return self.tables.size or self.source.size * USUAL_RATIO


def unpack(
    archives: Sequence[Path],
    staging: Path,
    limits: UnpackLimits,
    *,
    workers: int,
    progress: Callable[[Unpacked], None],
    require_space: Callable[[int], None],
) -> list[Unpacked]:
    """Unpack the tables of archives that no earlier call has unpacked.

    The headers of all archives are checked before the first is unpacked, so that most problems are reported early.

    Args:
        archives: local files, ``*.7z`` or ``*.xml.zst``.
        staging: folder that gets one folder per archive; created if it does not exist.
        limits: limits on the unpacked size of each archive.
        workers: number of archives to unpack in parallel, one process each.
        progress: called with every finished archive, in order of completion.
        require_space: called with the bytes to unpack, before the first; raises an error if they do not fit.

    Returns:
        The outcome for each archive, in the order given.

    Raises:
        InputError: an archive is named twice, missing, unsafe, damaged or beyond the limits; nothing of it is left.
        EnvironmentProblem: the staging folder cannot be written to.
    """
    _refuse_repeated(archives)
    area = Staging(staging.absolute())
    ready: dict[int, Unpacked] = {}
    plans: dict[int, _Plan] = {}

    def finish(place: int, unpacked: Unpacked) -> None:
        ready[place] = unpacked
        progress(unpacked)

    for place, found in _work_on(partial(_look_into, area, limits), archives, workers):
        if isinstance(found, Unpacked):
            finish(place, found)
        else:
            plans[place] = found
    require_space(sum(plan.size for plan in plans.values()))
    places = [*plans]
    for index, unpacked in _work_on(partial(_unpack, area, limits), [*plans.values()], workers):
        finish(places[index], unpacked)
    return [ready[place] for place in range(len(archives))]


def _refuse_repeated(archives: Sequence[Path]) -> None:
    repeated = [str(path) for path, count in Counter(path.absolute() for path in archives).items() if count > 1]
    if repeated:
        raise InputError(f"named more than once as archive: {', '.join(repeated)}", "name each archive once")


def _look_into(area: Staging, limits: UnpackLimits, archive: Path) -> Unpacked | _Plan:
    kind = format_of(archive, FORMATS)
    source = identify(archive, area)
    staged = read_record(area, area.folder(source.folder_name), source, reused=True)
    if staged is not None:
        return staged
    members = kind.members(archive)
    meter = Meter(archive, source.size, limits)
    for member in members:
        meter.add(member.name, member.size)
    return _Plan(source, choose_tables(archive, members))


def _unpack(area: Staging, limits: UnpackLimits, plan: _Plan) -> Unpacked:
    source = plan.source
    name = source.folder_name
    with area.lock(name):
        # Another process may have unpacked it while this one waited for the lock.
        staged = read_record(area, area.folder(name), source, reused=True)
        if staged is not None:
            return staged
        with area.new_folder(name) as folder:
            meter = Meter(source.path, source.size, limits)
            with writing_tables(area, folder, meter) as open_table:
                format_of(source.path, FORMATS).extract(source.path, plan.tables.taken, open_table)
            source.refuse_change()
            write_record(area, folder, source, plan.tables.skipped)
        unpacked = read_record(area, area.folder(name), source, reused=False)
    if unpacked is None:
        raise ContractError(f"{area.folder(name)} changed right after it was written", "keep other programs out of it")
    return unpacked


def _work_on(work: Callable[[Given], Result], items: Sequence[Given], workers: int) -> Iterator[tuple[int, Result]]:
    """Call a function on every item, in parallel processes, because unpacking is CPU-bound.

    Args:
        work: a function that can be pickled.
        items: its arguments; they and the results can be pickled.
        workers: number of processes; with one, or a single item, the calling process does the work.

    Yields:
        Place of the item and its result, in the order in which they become ready.

    Raises:
        CqaError: the first error of the function, raised after started items have ended; others are cancelled.
        EnvironmentProblem: a process died.
    """
    if min(workers, len(items)) <= 1:
        yield from enumerate(map(work, items))
        return
    # Spawned, not forked: the calling process may hold Spark's threads and sockets.
    pool = ProcessPoolExecutor(min(workers, len(items)), mp_context=get_context("spawn"))
    try:
        places = {pool.submit(work, item): place for place, item in enumerate(items)}
        for done in as_completed(places):
            yield places[done], done.result()
    except BrokenProcessPool as error:
        raise EnvironmentProblem(
            "a process that unpacks archives was killed, perhaps because memory ran out", "try again with fewer workers"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
