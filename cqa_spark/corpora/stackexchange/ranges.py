"""Reads the files of dumps in a Spark job: divides them into ranges of bytes, and these among tasks, which write rows.

A range begins at the first line that starts in it, which a task cannot see: it may begin within a comment or a row over
several lines. Each task therefore returns where it began and where it ended; a range that does not begin where the one
before it ended is read again from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from cqa_spark.corpora.inputs import USUAL_RATIO
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.probe import Access, FileProbe, RowLayout, open_text
from cqa_spark.corpora.stackexchange.recovery import Outcome
from cqa_spark.corpora.stackexchange.tables import table_rows
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.table import DataFile
from cqa_spark.lake.writing import Destination, TableWriter
from cqa_spark.spark.internals import to_arrow_schema

if TYPE_CHECKING:
    from cqa_spark.corpora.stackexchange.block_reader import BlockReader
    from cqa_spark.corpora.stackexchange.typed_columns import Numbers

RANGE = 64 << 20
"""Bytes of a range. A compressed file, and one without lines, is read in order, as one range."""

SMALLEST_TASK = 1 << 20
"""Bytes of small files up to which they share a task, however many tasks there could be."""

TASKS_PER_CORE = 4

MOST_COMPARED = 1 << 23
"""Ids of a range up to which a task looks for repeated ones, 64 MB; a compressed file may have more."""

_QUARANTINE = to_arrow_schema(QUARANTINE.schema)


@dataclass(frozen=True)
class OpenFile:
    """A file of a dump, with the result of probing it.

    Attributes:
        number: identifies the file.
        file: the file.
        probe: the result.
    """

    number: int
    file: DumpFile
    probe: FileProbe

    @property
    def size(self) -> int:
        """Bytes of its text; an estimate for a compressed file."""
        return self.probe.size * (USUAL_RATIO if self.file.packing else 1)


@dataclass(frozen=True)
class ByteRange:
    """The lines of a file that start in a range of bytes.

    Attributes:
        opened: the file.
        start: the first byte.
        stop: the byte after the last; None for the end of the file.
        is_line_start: whether a line starts at the first byte.
    """

    opened: OpenFile
    start: int = 0
    stop: int | None = None
    is_line_start: bool = True

    @property
    def size(self) -> int:
        """Its bytes of text."""
        return (self.opened.size if self.stop is None else self.stop) - self.start

    @property
    def is_whole_file(self) -> bool:
        """Whether it is not a part of the file."""
        return self.start == 0 and self.stop is None


def ranges_of(opened: OpenFile) -> list[ByteRange]:
    """The ranges of a file, in order."""
    size = opened.probe.size
    if opened.file.packing or opened.probe.layout is RowLayout.ROW_OVER_LINES or size <= RANGE:
        return [ByteRange(opened)]
    return [ByteRange(opened, start, min(start + RANGE, size), not start) for start in range(0, size, RANGE)]


def tasks_of(ranges: Iterable[ByteRange], cores: int) -> list[list[ByteRange]]:
    """Divide ranges among tasks: small files share one, a part of a file has its own; the largest come first.

    Args:
        ranges: the ranges; files of a site follow each other, so that few tasks write its files.
        cores: number of tasks that run at a time.
    """
    tasks: list[list[ByteRange]] = []
    whole_files = []
    total = 0
    for part in ranges:
        total += part.size
        if part.is_whole_file:
            whole_files.append(part)
        else:
            tasks.append([part])
    # Several tasks for each core, so that the last ones end at nearly the same time.
    most = min(RANGE, max(SMALLEST_TASK, total // (TASKS_PER_CORE * cores)))
    group: list[ByteRange] = []
    size = 0
    for part in whole_files:
        if group and size + part.size > most:
            tasks.append(group)
            group, size = [], 0
        group.append(part)
        size += part.size
    if group:
        tasks.append(group)
    return sorted(tasks, key=lambda task: sum(part.size for part in task), reverse=True)


@dataclass(frozen=True)
class RangeResult:
    """The counts of a range that a task has read.

    Attributes:
        part: the range.
        begin: byte offset of the first line; None if none starts in the range.
        end: byte offset after the last line.
        lines: number of lines.
        rows: number of rows.
        refused: number of records in quarantine.
        lowest_id: the lowest id of a row.
        highest_id: the highest one.
        may_repeat_ids: whether an id may stand on several rows.
        error: why the range could not be read; its rows and counts are then incomplete.
    """

    part: ByteRange
    begin: int | None
    end: int
    lines: int = 0
    rows: int = 0
    refused: int = 0
    lowest_id: int = 0
    highest_id: int = 0
    may_repeat_ids: bool = False
    error: InputError | None = None


@dataclass(frozen=True)
class TaskResult:
    """What a task read and wrote.

    Attributes:
        ranges: the results of its ranges.
        files: the files that it wrote, by the name of the table.
        seconds: time for the ranges of each table.
    """

    ranges: list[RangeResult]
    files: Mapping[str, list[DataFile]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


def read_ranges(destinations: Mapping[str, Destination], access: Access, ranges: Sequence[ByteRange]) -> TaskResult:
    """Read ranges and write their rows.

    Args:
        destinations: where the rows of each table go, and the quarantine.
        access: how to read files.
        ranges: the ranges.
    """
    seconds: dict[str, float] = {}
    with ExitStack() as stack:
        writers: dict[str, TableWriter] = {}

        def writer(table: str) -> TableWriter:
            if table not in writers:
                writers[table] = stack.enter_context(destinations[table].writer())
            return writers[table]

        results = []
        for part in ranges:
            started, table = time.perf_counter(), part.opened.file.dump_table.table.name
            results.append(_read_range(part, access, writer))
            seconds[table] = seconds.get(table, 0) + time.perf_counter() - started
        files = {table: open_writer.finish() for table, open_writer in writers.items()}
    return TaskResult(results, files, seconds)


@contextmanager
def open_range(part: ByteRange, access: Access) -> Iterator[BlockReader]:
    """Open a range.

    Raises:
        InputError: the file cannot be read; raised here or while it is read.
    """
    from cqa_spark.corpora.stackexchange.block_reader import BlockReader  # slow import of numba, which tasks need

    opened = part.opened
    first = part.start if part.is_line_start else part.start - 1
    with open_text(opened.file, access, opened.probe.size, first) as stream:
        yield BlockReader(
            stream, opened.file.dump_table, opened.probe.root, opened.probe.layout, part.start, part.stop,
            part.is_line_start,
        )  # fmt: skip


def _read_range(part: ByteRange, access: Access, writer: Callable[[str], TableWriter]) -> RangeResult:
    file = part.opened.file
    table = file.dump_table.table.name
    lines = rows = refused = 0
    ids = _Ids()
    try:
        with open_range(part, access) as reader:
            for block in reader.blocks():
                for block_rows in block.rows:
                    writer(table).add(table_rows(file.dump_table, block_rows.columns, file.site, file.path))
                    ids.add(block_rows.ids)
                    rows += len(block_rows.ids)
                if block.refused:
                    writer(QUARANTINE.name).add(_refused(block.refused, file.site, file.path))
                lines, refused = lines + block.lines, refused + len(block.refused)
    except InputError as error:
        return RangeResult(part, None, part.start, error=error)
    return RangeResult(
        part, reader.begin, reader.end, lines, rows, refused, ids.lowest, ids.highest, ids.may_repeat()
    )  # fmt: skip


class _Ids:
    """The ids of a range, which are ascending in most files; of others, only so many are compared."""

    def __init__(self) -> None:
        self.lowest = self.highest = 0
        self._are_ascending = True
        self._parts: list[Numbers] = []
        self._count = 0

    def add(self, ids: Numbers) -> None:
        """Add the ids of some rows, at least one."""
        first, last = int(ids.min()), int(ids.max())
        follow = not self._count or first > self.highest
        self._are_ascending = self._are_ascending and follow and bool((np.diff(ids) > 0).all())
        self.lowest, self.highest = (min(self.lowest, first), max(self.highest, last)) if self._count else (first, last)
        self._count += len(ids)
        if self._count <= MOST_COMPARED:
            self._parts.append(ids)

    def may_repeat(self) -> bool:
        """Whether an id may stand on several rows."""
        if self._are_ascending:
            return False
        return self._count > MOST_COMPARED or len(np.unique(np.concatenate(self._parts))) < self._count


def _refused(outcomes: Sequence[Outcome], site: str, source_file: str) -> pa.RecordBatch:
    rows = [
        {"site": site, "source_file": source_file, "byte_offset": outcome.offset, "reason": outcome.problem,
         "raw": outcome.text}
        for outcome in outcomes
    ]  # fmt: skip
    return pa.RecordBatch.from_pylist(rows, _QUARANTINE)


@dataclass(frozen=True)
class FileReading:
    """The reading of a file.

    Attributes:
        opened: the file.
        ranges: the results of its ranges, which follow each other.
    """

    opened: OpenFile
    ranges: Sequence[RangeResult]

    @property
    def error(self) -> InputError | None:
        """Why it could not be read."""
        return next((result.error for result in self.ranges if result.error), None)

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of its lines, of its rows, and of its records in quarantine."""
        lines = sum(result.lines for result in self.ranges)
        rows = sum(result.rows for result in self.ranges)
        refused = sum(result.refused for result in self.ranges)
        return lines, rows, refused

    @property
    def may_repeat_ids(self) -> bool:
        """Whether ids may stand on several rows: on several of a range, or of ranges whose ids overlap."""
        spans = sorted((result.lowest_id, result.highest_id) for result in self.ranges if result.rows)
        overlap = any(highest >= lowest for (_, highest), (lowest, _) in pairwise(spans))
        return overlap or any(result.may_repeat_ids for result in self.ranges)


@dataclass(frozen=True)
class Reading:
    """The reading of some files.

    Attributes:
        files: the readings.
        written: the files that tasks wrote, by the name of the table.
        seconds: time of tasks for the files of each table.
    """

    files: Sequence[FileReading]
    written: Mapping[str, Sequence[DataFile]]
    seconds: Mapping[str, float]


RangeKey = tuple[int, int | None]
"""Number of the file and end of the range, which stay when a range is read again from a later byte."""


def read_files(
    spark: SparkSession, files: Sequence[OpenFile], access: Access, destinations: Mapping[str, Destination]
) -> Reading:
    """Read files and write their rows.

    Args:
        spark: the session.
        files: the files; those of a site follow each other.
        access: how to read them.
        destinations: where the rows of each table go, and the quarantine, by name.
    """
    context = spark.sparkContext
    planned = {opened.number: ranges_of(opened) for opened in files}
    tasks = tasks_of((part for ranges in planned.values() for part in ranges), context.defaultParallelism)
    seconds: dict[str, float] = {}
    # The last result of each planned range, and the files of each task by its first range. A range that is read again
    # takes the place of its earlier reading, whose files then belong to no table.
    results: dict[RangeKey, RangeResult] = {}
    files_of_tasks: dict[RangeKey, Mapping[str, Sequence[DataFile]]] = {}
    while tasks:
        # One task for each element: sizes differ.
        job = context.parallelize(tasks, len(tasks)).map(partial(read_ranges, destinations, access))
        for task in job.collect():
            for table, task_seconds in task.seconds.items():
                seconds[table] = seconds.get(table, 0) + task_seconds
            for result in task.ranges:
                results[_key(result.part)] = result
            # A task of several ranges has small files, which have one range each and are not read again.
            files_of_tasks[_key(task.ranges[0].part)] = task.files
        again = (_to_read_again([results[_key(part)] for part in ranges]) for ranges in planned.values())
        tasks = [[part] for part in again if part is not None]
    readings = []
    valid = set[RangeKey]()
    for opened in files:
        ranges = _consecutive([results[_key(part)] for part in planned[opened.number]])
        readings.append(FileReading(opened, ranges))
        valid.update(_key(result.part) for result in ranges)
    by_table: dict[str, list[DataFile]] = {name: [] for name in destinations}
    for key, files_of_task in files_of_tasks.items():
        if key in valid:
            for name, data_files in files_of_task.items():
                by_table[name] += data_files
    return Reading(readings, by_table, seconds)


def _key(part: ByteRange) -> RangeKey:
    return part.opened.number, part.stop


def _consecutive(results: Iterable[RangeResult]) -> list[RangeResult]:
    """The results that follow each other: all but those of ranges in which the ones before them end."""
    chain: list[RangeResult] = []
    for result in results:
        if not chain or result.part.stop is None or chain[-1].end < result.part.stop:
            chain.append(result)
    return chain


def _to_read_again(results: Iterable[RangeResult]) -> ByteRange | None:
    """The first range that does not begin where the one before it ended, from there; None if there is none.

    It began within a comment, a row over several lines, or a line longer than a range.
    """
    for before, result in pairwise(_consecutive(results)):
        if result.error is None and before.error is None and result.begin != before.end:
            return replace(result.part, start=before.end, is_line_start=True)
    return None
