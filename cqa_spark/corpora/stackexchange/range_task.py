"""What a task does with ranges of files: reads them, writes their rows, and says what was in them."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.block_reader import BlockReader
from cqa_spark.corpora.stackexchange.byte_ranges import ByteRange
from cqa_spark.corpora.stackexchange.dump_stream import Access, open_text
from cqa_spark.corpora.stackexchange.records import Outcome
from cqa_spark.corpora.stackexchange.table_columns import table_rows
from cqa_spark.corpora.stackexchange.value_columns import Numbers
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.table_files import DataFile
from cqa_spark.lake.writing import Destination, TableWriter

MOST_COMPARED = 1 << 23
"""Ids of a range up to which a task looks for repeated ones, 64 MB; a compressed file may have more."""

_QUARANTINE = to_arrow_schema(QUARANTINE.schema)


@dataclass(frozen=True)
class RangeResult:
    """What a task found in a range.

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
                for found in block.rows:
                    writer(table).add(table_rows(file.dump_table, found.columns, file.site, file.path))
                    ids.add(found.ids)
                    rows += len(found.ids)
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
