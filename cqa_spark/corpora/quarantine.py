"""The quarantine: records that could not be parsed, with file, byte offset, raw text and reason."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import Totals
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.whole_files import of_file
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.accounting import QUARANTINE

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
