"""Reads the files of dumps in one job over their ranges; a range that began within a comment or row is read again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from pyspark.sql import SparkSession

from cqa_spark.corpora.stackexchange.byte_ranges import ByteRange, OpenFile, ranges_of, tasks_of
from cqa_spark.corpora.stackexchange.dump_stream import Access
from cqa_spark.corpora.stackexchange.range_task import RangeResult, read_ranges
from cqa_spark.errors import InputError
from cqa_spark.lake.table_files import DataFile
from cqa_spark.lake.writing import Destination


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
        found = [(result.lines, result.rows, result.refused) for result in self.ranges]
        lines, rows, refused = (sum(numbers) for numbers in zip(*found, strict=True))
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
    results: dict[tuple[int, int | None], RangeResult] = {}
    written: dict[tuple[int, int | None], Mapping[str, Sequence[DataFile]]] = {}
    while tasks:
        # One task for each element: sizes differ.
        job = context.parallelize(tasks, len(tasks)).map(partial(read_ranges, destinations, access))
        for result in job.collect():
            seconds |= {table: seconds.get(table, 0) + time for table, time in result.seconds.items()}
            for found in result.ranges:
                results[_key(found.part)] = found
            # Files of several ranges are those of small files, which have one range each.
            written[_key(result.ranges[0].part)] = result.files
        again = (_to_read_again([results[_key(part)] for part in ranges]) for ranges in planned.values())
        tasks = [[part] for part in again if part is not None]
    readings = [
        FileReading(opened, _consecutive([results[_key(part)] for part in planned[opened.number]])) for opened in files
    ]
    taken = {_key(result.part) for reading in readings for result in reading.ranges}
    by_table: dict[str, list[DataFile]] = {name: [] for name in destinations}
    for key, of_task in written.items():
        if key in taken:
            for name, data_files in of_task.items():
                by_table[name] += data_files
    return Reading(readings, by_table, seconds)


def _key(part: ByteRange) -> tuple[int, int | None]:
    """Identifies a planned range, also when it is read again from a later byte."""
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
