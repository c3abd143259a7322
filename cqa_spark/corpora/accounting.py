"""Record counts of the files that were read, and the quarantine of records that could not be parsed."""

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.whole_files import of_file
from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import QUARANTINE

SHOWN_FILES = 20


class FileAccount(NamedTuple):
    """Record counts of one file and its table: the columns of ``INGESTED_FILES``."""

    site: str
    source_file: str
    split: str
    table_name: str
    lines: int | None
    not_rows: int | None
    is_complete: bool | None
    rows_in: int
    rows_out: int
    rows_quarantined: int
    rows_forgotten: int | None = None


class Totals(NamedTuple):
    """Records over all files."""

    rows_in: int
    rows_out: int
    rows_quarantined: int


def check_accounting(files: Sequence[Entry]) -> Totals:
    """Check that in every file rows in = rows out + rows quarantined + rows forgotten, and add up over the files.

    Args:
        files: entries of ``INGESTED_FILES``.

    Raises:
        ContractError: the sum does not hold; the files are named.
    """
    wrong = [each for each in files if each["rows_in"] != each["rows_out"] + each["rows_quarantined"] + forgotten(each)]
    if wrong:
        listed = "; ".join(
            f"{each['source_file']}: {each['rows_in']} in, {each['rows_out']} out, "
            f"{each['rows_quarantined']} quarantined, {forgotten(each)} forgotten"
            for each in sorted(wrong, key=lambda each: each["source_file"])[:SHOWN_FILES]
        )
        raise ContractError(
            f"record counts disagree: {listed}",
            "keep the file and report it: the reader does not support its layout",
        )
    return Totals(*[sum(each[name] for each in files) for name in Totals._fields])


def file_counts(records: DataFrame, inputs: Sequence[InputFile], site: str) -> DataFrame:
    """The columns of ``INGESTED_FILES`` of files whose records are rows of a frame.

    Args:
        records: rows of records, with file (position in ``inputs``), byte_offset and problem (null for good ones); and
            rows about files, which have found (the number of records, counted independently) and no byte_offset.
            Columns lines and not_rows, if there are any, are those of the files.
        inputs: the files.
        site: the site that they count for.
    """
    is_good = F.col("byte_offset").isNotNull() & F.col("problem").isNull()
    of_lines = [F.max(name).alias(name) for name in ("lines", "not_rows") if name in records.columns]
    counted = records.groupBy("file").agg(
        *of_lines,
        F.sum("found").alias("rows_in"),
        F.count_if(is_good).alias("rows_out"),
        F.count("problem").alias("rows_quarantined"),
    )
    place = {"source_file": of_file([file.path for file in inputs]), "split": of_file([file.split for file in inputs])}
    return counted.withColumns({"site": F.lit(site), **place}).drop("file")


def forgotten(file: Entry) -> int:
    """The number of records of a file that the lake has forgotten."""
    return file.get("rows_forgotten") or 0


def refuse_incomplete(paths: Sequence[str]) -> None:
    """Refuse truncated files, because the missing rows would count as deleted.

    Args:
        paths: files that end before their closing tag.

    Raises:
        InputError: a file is truncated.
    """
    if paths:
        raise InputError(
            f"truncated files, which end before their closing tag: {', '.join(paths[:SHOWN_FILES])}",
            "download or unpack them again; --allow-incomplete reads them as they are",
        )


SHOWN_REASONS = 3


def quarantined(records: DataFrame, inputs: Sequence[InputFile], site: str) -> DataFrame:
    """The records with a problem, as rows of ``QUARANTINE``.

    Args:
        records: file (position in ``inputs``), byte_offset, raw, and problem (null for good ones).
        inputs: the files.
        site: the site that they count for.
    """
    return QUARANTINE.conform(
        records.where("problem IS NOT NULL").select(
            F.lit(site).alias("site"), of_file([file.path for file in inputs]).alias("source_file"), "byte_offset",
            F.col("problem").alias("reason"), "raw",
        )
    )  # fmt: skip


def refuse_bad_fraction(totals: Totals, quarantine: DataFrame, most: float) -> None:
    """Refuse input with too many quarantined records.

    Args:
        totals: records over all files.
        quarantine: a frame of the schema ``QUARANTINE``.
        most: largest share of quarantined records.

    Raises:
        InputError: the share is larger; the message lists the most frequent reasons, each with an example.
    """
    if totals.rows_quarantined <= most * totals.rows_in:
        return
    raise InputError(
        f"{totals.rows_quarantined:,} of {totals.rows_in:,} rows could not be parsed, more than the allowed share "
        f"of {most}; most frequent:\n    " + "\n    ".join(frequent_reasons(quarantine)),
        "correct the input, or allow more with --max-bad-fraction; the published run is unchanged",
    )


def frequent_reasons(quarantine: DataFrame) -> list[str]:
    """The most frequent reasons for quarantining records, each with its number of records and an example.

    Args:
        quarantine: a frame of the schema ``QUARANTINE``.
    """
    kind = F.regexp_replace(F.regexp_replace("reason", ": .*", ""), r"\d+", "N").alias("kind")
    example = F.min_by(F.struct("reason", "source_file", "byte_offset", F.substring("raw", 1, 160).alias("raw")),
                       F.struct("source_file", "byte_offset"))  # fmt: skip
    kinds = quarantine.groupBy(kind).agg(F.count("*").alias("rows"), example.alias("example"))
    return [
        f"{row['rows']} x {row['example']['reason']}\n      {row['example']['source_file']}, byte "
        f"{row['example']['byte_offset']}: {row['example']['raw']}"
        for row in kinds.orderBy(F.col("rows").desc(), "kind").limit(SHOWN_REASONS).collect()
    ]
