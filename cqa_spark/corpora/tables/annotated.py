"""Community tables with judgments, by split → the community tables of a run."""

from __future__ import annotations

from functools import reduce
from pathlib import PurePosixPath
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.annotated_files import AnnotatedFiles
from cqa_spark.corpora.community import CommunityTables
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.tables.conversion import PROBLEM, RAW, converted
from cqa_spark.corpora.tables.keys import NUMBER, numbered
from cqa_spark.corpora.tables.locations import locate
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.table import Table

TABLES = {table.name: table for table in (POSTS, COMMENTS, USERS, JUDGMENTS)}


class AnnotatedTables(AnnotatedFiles):
    """Files named after the tables that they fill, such as ``posts.parquet`` and ``judgments.csv``."""

    patterns: ClassVar[tuple[str, ...]] = tuple(f"{name}.*" for name in TABLES)

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files.

        Raises:
            InputError: a column that identifies rows is missing.
        """
        frames = {name: self._rows(spark, table) for name, table in TABLES.items()}
        accounts = [account for name, frame in frames.items() for account in self._accounts(name, frame)]
        refused = [
            frame.where(F.col(PROBLEM).isNotNull()).select(
                F.lit(self.site).alias("site"), "source_file", F.col(NUMBER).alias("byte_offset"),
                F.col(PROBLEM).alias("reason"), F.col(RAW).alias("raw"),
            )
            for frame in frames.values()
        ]  # fmt: skip
        good = {
            name: table.conform(frames[name].where(F.col(PROBLEM).isNull()).select(*table.schema.names))
            for name, table in TABLES.items()
        }
        return CommunityTables(
            **good,
            quarantine=QUARANTINE.conform(reduce(DataFrame.unionByName, refused)),
            ingested_files=spark.createDataFrame(accounts, INGESTED_FILES.schema),
            persisted=tuple(frames.values()),
        )

    def _rows(self, spark: SparkSession, table: Table) -> DataFrame:
        """The rows of all files of a table, persisted."""
        rows = [self._converted(spark, file, table) for file in self.inputs if _table_name(file.path) == table.name]
        return numbered(reduce(DataFrame.unionByName, rows, _no_rows(spark, table)), table).persist()

    def _converted(self, spark: SparkSession, file: InputFile, table: Table) -> DataFrame:
        frame = locate(file.path, self.storage).read(spark).withColumn("split", F.lit(file.split))
        return converted(frame.drop("site"), table, self.site, file.path)

    def _accounts(self, name: str, frame: DataFrame) -> list[FileAccount]:
        counted = frame.groupBy("source_file").agg(F.count(F.lit(1)).alias("rows"), F.count(PROBLEM).alias("refused"))
        counts = {row["source_file"]: (row["rows"], row["refused"]) for row in counted.collect()}
        found = []
        for file in self.inputs:
            if _table_name(file.path) == name:
                rows, refused = counts.get(file.path, (0, 0))
                found.append(
                    FileAccount(
                        site=self.site, source_file=file.path, split=file.split, table_name=name, lines=None,
                        not_rows=None, is_complete=None, rows_in=rows, rows_out=rows - refused,
                        rows_quarantined=refused,
                    )
                )  # fmt: skip
        return found


def _table_name(path: str) -> str:
    return PurePosixPath(path).name.lower().partition(".")[0]


def _no_rows(spark: SparkSession, table: Table) -> DataFrame:
    empty = F.lit(None).cast("string")
    return table.empty(spark).select("*", empty.alias(PROBLEM), empty.alias(RAW))
