"""Divides the files of dumps into ranges of bytes, and these among tasks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cqa_spark.corpora.archives.limits import USUAL_RATIO
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.file_probe import FileProbe, RowLayout

RANGE = 64 << 20
"""Bytes of a range. A compressed file, and one without lines, is read in order, as one range."""

SMALLEST_TASK = 1 << 20
TASKS_PER_CORE = 4


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
    given = list(ranges)
    total = sum(part.size for part in given)
    most = min(RANGE, max(SMALLEST_TASK, total // (TASKS_PER_CORE * cores)))
    tasks = [[part] for part in given if not part.is_whole_file]
    tasks += _grouped((part for part in given if part.is_whole_file), most)
    return sorted(tasks, key=lambda task: sum(part.size for part in task), reverse=True)


def _grouped(ranges: Iterable[ByteRange], most: int) -> Iterator[list[ByteRange]]:
    """Ranges in groups of a size, in order."""
    group: list[ByteRange] = []
    size = 0
    for part in ranges:
        if group and size + part.size > most:
            yield group
            group, size = [], 0
        group.append(part)
        size += part.size
    if group:
        yield group
