"""The run log."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import column

INPUT = T.StructType(
    [
        column("path", "string", "location of the file"),
        column("split", "string", "split of the data set"),
        column("bytes", "bigint", "size in bytes; null if the storage does not report it"),
        column("sha256", "string", "hash of its bytes, hexadecimal; null if not computed"),
    ]
)

STEP = T.StructType(
    [
        column("step", "string", "the step's name"),
        column("rows_in", "bigint", "rows or records read"),
        column("rows_out", "bigint", "rows written"),
        column("rows_quarantined", "bigint", "rows that were quarantined"),
        column("seconds", "double", "wall-clock time"),
    ]
)

RUNS = JournalTable(
    "runs",
    "The run log: executions and publications; published.json names the published run.",
    (
        column("sequence", "bigint", "order of the rows, from 1", nullable=False),
        column("run_id", "string", "the run", nullable=False),
        column("status", "string", "running, succeeded, failed, stopped or published", nullable=False),
        column("recorded_at", "timestamp", "when the row was written, UTC", nullable=False),
        column("job", "string", "job that wrote the row", nullable=False),
        column("inputs", T.ArrayType(INPUT), "files that were read", nullable=False),
        column("config_hash", "string", "SHA-256 of the resolved settings", nullable=False),
        column("config", "string", "resolved settings, YAML", nullable=False),
        column("code_version", "string", "package version, and hash of the package's sources", nullable=False),
        column("steps", T.ArrayType(STEP), "row counts and duration of each step", nullable=False),
        column(
            "table_versions",
            T.MapType(T.StringType(), T.LongType()),
            "version of each table that the run wrote",
            nullable=False,
        ),
        column(
            "artifacts",
            T.MapType(T.StringType(), T.StringType()),
            "paths of models, reports and prediction files; lake: marks those relative to the lake",
            nullable=False,
        ),
        column("message", "string", "reason of the status"),
    ),
    key=("sequence",),
)
