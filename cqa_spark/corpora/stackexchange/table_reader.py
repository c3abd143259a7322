"""Reads all files of one kind, and counts their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import count
from types import TracebackType
from typing import Self

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_tables import ROW_ID, DumpTable
from cqa_spark.corpora.stackexchange.fast_path import parse_lines
from cqa_spark.corpora.stackexchange.file_probe import BYTE_ORDER_MARK, Layout
from cqa_spark.corpora.stackexchange.line_batches import ROW, SUSPECT
from cqa_spark.corpora.stackexchange.line_counts import LineCounts, line_counts, observed_line_counts
from cqa_spark.corpora.stackexchange.lines import OpenFile, read_lines
from cqa_spark.corpora.stackexchange.locate import locate, place_in_blocks
from cqa_spark.corpora.stackexchange.tolerant_path import parse_records

FAST_LAYOUTS = (Layout.ROW_PER_LINE, Layout.ROW_PER_OLD_LINE)

_names = count(1)


@dataclass
class TableReader:
    """The files of one kind; each is read once, and a second time only if it has lines for the tolerant path.

    Attributes:
        spark: the session.
        dump: the kind of rows.
        files: the files by number; rows in files with lower numbers take precedence.
    """

    spark: SparkSession
    dump: DumpTable
    files: Mapping[int, OpenFile]
    _observation: Observation | None = field(default=None, init=False)
    _persisted: list[DataFrame] = field(default_factory=list, init=False)

    def __enter__(self) -> Self:
        """The reader, until the block ends."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unpersist the frames of the reader."""
        for frame in self._persisted:
            frame.unpersist()

    def sound_rows(self) -> DataFrame:
        """The rows read by the fast path, of the declared schema; writing them once counts the lines."""
        parsed = [
            self._parse(read_lines(self.spark, files, layout), files)
            for layout in FAST_LAYOUTS
            if (files := self._of_layout(layout))
        ]
        if not parsed:
            return self.dump.table.empty(self.spark)
        self._observation = Observation(f"lines of {self.dump.file} {next(_names)}")
        lines = observed_line_counts(len(self.files)).alias("lines")
        counted = reduce(DataFrame.unionByName, parsed).observe(self._observation, lines)
        return table_rows(self.dump, counted.where(F.col("kind") == ROW).select("*", "row.*"))

    def lines(self) -> LineCounts:
        """Numbers of lines by file and kind, available after ``sound_rows`` is written."""
        return line_counts(self._observation.get["lines"] if self._observation is not None else None)

    def needs_closer_look(self, lines: LineCounts) -> list[int]:
        """Files with a line that the fast path cannot read, and files with another layout."""
        over_lines = self._of_layout(Layout.ROW_OVER_LINES)
        return sorted({*over_lines, *(file for file, kind in lines if kind == SUSPECT)})

    def closer_look(self, numbers: Sequence[int]) -> DataFrame:
        """The records of the files that are not sound rows, read by the tolerant path.

        Args:
            numbers: numbers of the files.

        Returns:
            The columns of ``tolerant_path.parse_records``.
        """
        found = [self._located(numbers, layout, _mark_others) for layout in FAST_LAYOUTS]
        over_lines = self._some(numbers, Layout.ROW_OVER_LINES)
        if over_lines:
            chunks = read_lines(self.spark, over_lines, Layout.ROW_OVER_LINES).withColumnRenamed("value", "raw")
            found.append(self._parsed(chunks.withColumn("is_wanted", F.lit(True)), over_lines, Layout.ROW_OVER_LINES))
        return reduce(DataFrame.unionByName, [each for each in found if each is not None])

    def rows_as_written(self, ids: DataFrame | None) -> DataFrame | None:
        """Sound rows with offset and text; None if no file can contain one.

        Args:
            ids: keys of the wanted rows, few enough to broadcast; None for all rows.

        Returns:
            The columns of ``tolerant_path.parse_records``.
        """
        found = [self._located(list(self.files), layout, partial(self._mark_rows, ids=ids)) for layout in FAST_LAYOUTS]
        known = [each for each in found if each is not None]
        return reduce(DataFrame.unionByName, known) if known else None

    def _located(
        self, numbers: Sequence[int], layout: Layout, mark: Callable[[DataFrame], DataFrame]
    ) -> DataFrame | None:
        files = self._some(numbers, layout)
        if not files:
            return None
        lines = self._parse(read_lines(self.spark, files, layout).withColumn("raw", F.col("value")), files)
        return self._parsed(mark(lines), files, layout)

    def _parse(self, lines: DataFrame, files: Mapping[int, OpenFile]) -> DataFrame:
        return parse_lines(lines, self.dump, _roots(files))

    def _mark_rows(self, lines: DataFrame, ids: DataFrame | None) -> DataFrame:
        if ids is None:
            return lines.withColumn("is_wanted", F.col("kind") == ROW)
        row_id = self.dump.attributes[ROW_ID]
        # A broadcast join keeps the order of rows, which is needed to locate them; a shuffle would not.
        marked = F.broadcast(ids.select("site", row_id, F.lit(True).alias("is_named")))
        found = lines.withColumn(row_id, F.col(f"row.{row_id}")).join(marked, ["site", row_id], "left")
        return found.withColumn("is_wanted", (F.col("kind") == ROW) & F.col("is_named"))

    def _parsed(self, lines: DataFrame, files: Mapping[int, OpenFile], layout: Layout) -> DataFrame:
        wanted = F.when(F.col("is_wanted"), F.col("raw").cast("binary"))
        length = (F.octet_length("raw") + len(layout.value)).cast("bigint")
        measured = lines.select("file", "block_start", length.alias("length"), wanted.alias("raw"))
        marks = {number: len(BYTE_ORDER_MARK) * file.probe.marked for number, file in files.items()}
        placed = place_in_blocks(measured).persist()
        self._persisted.append(placed)
        return parse_records(locate(placed, marks), self.dump, layout, _roots(files))

    def _some(self, numbers: Sequence[int], layout: Layout) -> dict[int, OpenFile]:
        return {number: file for number, file in self._of_layout(layout).items() if number in numbers}

    def _of_layout(self, layout: Layout) -> dict[int, OpenFile]:
        """Non-empty files of a layout; Spark skips empty files, and an observation without rows never completes."""
        return {n: file for n, file in self.files.items() if file.probe.layout is layout and file.probe.size}


def _roots(files: Mapping[int, OpenFile]) -> dict[int, str]:
    return {number: file.probe.root for number, file in files.items()}


def _mark_others(lines: DataFrame) -> DataFrame:
    return lines.withColumn("is_wanted", F.col("kind") != ROW)
