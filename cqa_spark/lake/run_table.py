"""Tables of single runs: Parquet files in the journal, written and read by Spark.

Every run writes such a table in full, so its versions would share no files, and a Delta table would only add a commit.
Other journal tables are one file, which the driver reads; these grow with the corpus and have a folder per run and
attempt: ``LAKE/journal/NAME/RUN.ATTEMPT/``.
"""

from __future__ import annotations

import io
from urllib.parse import quote

import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.lake.folders import remove_folder
from cqa_spark.lake.journal import FOLDER
from cqa_spark.lake.new_files import move_into, write_new_files
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import RunTable
from cqa_spark.lake.written import Written
from cqa_spark.object_store.store import missing
from cqa_spark.spark.file_paths import literal_path


def write_run_table(lake: Lake, table: RunTable, frame: DataFrame, *, run_id: str, attempt: int) -> Written:
    """Write all rows of a run's attempt, replacing earlier ones of the same attempt.

    Args:
        lake: the lake.
        table: the declaration of the table.
        frame: the rows.
        run_id: the run.
        attempt: sequence number of the run's record; an attempt never changes the files of an earlier one.

    Raises:
        ContractError: the frame does not have the declared columns.
    """
    folder = run_folder(table, run_id, attempt)
    new = write_new_files(table.conform(frame), lake.root, (), lake.storage)
    lake.before_commit()
    remove_folder(lake, folder)
    if new.files:
        move_into(lake.spark, lake.path(folder), new.files)
    else:
        lake.objects.put(f"{folder}/no-rows.parquet", _no_rows(table))
    new.remove(lake.spark)
    return Written(attempt, new.rows)


def read_run_table(lake: Lake, table: RunTable, *, run_id: str, attempt: int) -> DataFrame:
    """The rows of a run's attempt; columns that were declared later are null.

    Raises:
        ContractError: the files are missing.
    """
    folder = run_folder(table, run_id, attempt)
    keys = sorted(key for key in lake.objects.keys(f"{folder}/") if key.endswith(".parquet"))
    if not keys:
        raise missing(lake.objects.root, folder, f"the record of run {run_id} names it")
    paths = [literal_path(lake.path(key)) for key in keys]
    return table.conform(lake.spark.read.schema(table.schema).parquet(*paths))


def run_folder(table: RunTable, run_id: str, attempt: int) -> str:
    """The folder of a run's attempt, relative to the root of the lake."""
    return f"{FOLDER}/{table.name}/{quote(run_id, safe='')}.{attempt}"


def _no_rows(table: RunTable) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(to_arrow_schema(table.schema).empty_table(), buffer)
    return buffer.getvalue()
