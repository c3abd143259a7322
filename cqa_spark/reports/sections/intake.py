"""The records that the run read and quarantined, with a record of each of the most frequent reasons."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import Row as SparkRow
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.reports.kit.blocks import (
    Block,
    Cell,
    Code,
    Details,
    Heading,
    Row,
    Table,
    Text,
    count_cells,
    forum,
    warning_cell,
)
from cqa_spark.reports.kit.wording import count
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section


@dataclass(frozen=True)
class QuarantineReason:
    """A reason for quarantine, and the number of its records."""

    reason: str
    rows: int


@dataclass(frozen=True)
class QuarantineSample:
    """The first record that was quarantined for a reason; ``raw`` is the beginning of its text."""

    source_file: str
    byte_offset: int
    reason: str
    raw: str


@dataclass(frozen=True)
class Intake:
    """The records read and quarantined; totals are over all files, lists have a bounded length.

    Files are entries of ``INGESTED_FILES``; records that are neither out nor quarantined are forgotten.
    """

    rows_in: int = 0
    rows_out: int = 0
    rows_quarantined: int = 0
    file_count: int = 0
    files: tuple[Entry, ...] = ()
    reasons: tuple[QuarantineReason, ...] = ()
    samples: tuple[QuarantineSample, ...] = ()

    @property
    def rows_forgotten(self) -> int:
        """Number of records about users and posts that the lake has forgotten."""
        return self.rows_in - self.rows_out - self.rows_quarantined


FILES = 60
REASONS = 20
SAMPLES = 5
RAW_CHARACTERS = 500


def data(run: ReportedRun) -> Intake | None:
    """The records of all splits; None if the run read none."""
    entries, quarantine = run.journal.get("ingested_files", ()), run.tables.get("quarantine")
    total = {name: sum(entry[name] for entry in entries) for name in ("rows_in", "rows_out", "rows_quarantined")}
    if not total["rows_in"]:
        return None
    reasons = [] if quarantine is None or not total["rows_quarantined"] else _reasons(quarantine)
    return Intake(
        **total,
        file_count=len(entries),
        files=_files(entries),
        reasons=tuple(QuarantineReason(row.reason, row.rows) for row in reasons),
        samples=tuple(QuarantineSample(reason=row.reason, **row.first.asDict()) for row in reasons[:SAMPLES]),
    )


def _files(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    def order(file: Entry) -> tuple[int, int, str, str]:
        return -file["rows_quarantined"], -file["rows_in"], file["site"], file["source_file"]

    return tuple(sorted(entries, key=order)[:FILES])


def _reasons(quarantine: DataFrame) -> list[SparkRow]:
    """The most frequent reasons, each with the first record that has it."""
    raw = F.substring("raw", 1, RAW_CHARACTERS).alias("raw")
    record = F.struct("source_file", "byte_offset", raw)
    first = F.min_by(record, F.struct("site", "source_file", "byte_offset")).alias("first")
    counted = quarantine.groupBy("reason").agg(F.count(F.lit(1)).alias("rows"), first)
    return counted.orderBy(F.desc("rows"), "reason").limit(REASONS).collect()


def blocks(intake: Intake) -> list[Block]:
    """The records of each file, the reasons for quarantine, and a record of each of the most frequent ones."""
    about = "Records by file: every record is either ingested or quarantined"
    if intake.rows_forgotten:
        about += f", or one of {count(intake.rows_forgotten)} that the lake has forgotten"
    about += "."
    if intake.file_count > len(intake.files):
        about += (
            f" The table shows the {len(intake.files)} of {count(intake.file_count)} files with the most quarantined "
            "records."
        )
    files = [
        Row(
            Cell(_base_name(file["source_file"]), role="path", hint=file["source_file"]),
            (
                Cell(file["split"]),
                *count_cells(file["rows_in"], file["rows_out"]),
                warning_cell(file["rows_quarantined"]),
            ),
        )
        for file in intake.files
    ]
    total = Row("All files", (Cell(""), *count_cells(intake.rows_in, intake.rows_out, intake.rows_quarantined)))
    headings = ("File", "Split", "Records", "Ingested", "Quarantined")
    shown: list[Block] = [Table("", about, headings, files, ("Split",), total=total)]
    if intake.reasons:
        reasons = [Row(Cell(forum(item.reason), role="prose"), count_cells(item.rows)) for item in intake.reasons]
        shown += [
            Heading("Quarantine"),
            Table("", "Reasons for quarantine.", ("Reason", "Records"), reasons),
        ]
        for sample in intake.samples:
            position = f"{_base_name(sample.source_file)}, byte {count(sample.byte_offset)}"
            shown.append(Details(position, [Text(forum(sample.reason)), Code(forum(sample.raw))]))
    return shown


def _base_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


SECTION = Section("intake", "Input", data, blocks, products=(INGESTED_FILES,), optional=(QUARANTINE,))
