"""Community tables with judgments, by split → the community tables of a run."""

from collections.abc import Iterator
from functools import cached_property, reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.annotated_files import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.inputs import InputFile, refuse_repeated_paths
from cqa_spark.corpora.tables.conversion import (
    PROBLEM,
    RAW,
    account,
    checked,
    converted,
    counts_by,
    good_rows,
    print_thread_warnings,
    refused_rows,
)
from cqa_spark.corpora.tables.locations import bytes_at, locate, table_name, tables_at
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persist

TABLES = {table.name: table for table in (POSTS, COMMENTS, USERS, JUDGMENTS)}


class AnnotatedTables(AnnotatedFiles):
    """Files and folders named after the tables that they fill, such as ``posts.parquet`` and ``judgments/``."""

    @cached_property
    def inputs(self) -> list[InputFile]:
        """The files and folders, one for a table of a split or more.

        Raises:
            InputError: one is missing or named twice, or a folder contains no table.
        """
        inputs = [
            InputFile(location, split, bytes_at(location, self.storage))
            for split, paths in self.by_split.items()
            for location in tables_at(paths, TABLES.keys(), self.storage)
        ]
        refuse_repeated_paths(inputs)
        return inputs

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files.

        Raises:
            InputError: a column that identifies rows is missing.
        """
        frames = {name: self._rows(spark, table) for name, table in TABLES.items()}
        print_thread_warnings(frames[POSTS.name])
        accounts = [each for name, table in TABLES.items() for each in self._accounts(table, frames[name])]
        refused = [refused_rows(frame, F.lit(self.site)) for frame in frames.values()]
        return CommunityTables(
            **{name: good_rows(frames[name], table) for name, table in TABLES.items()},
            quarantine=reduce(DataFrame.unionByName, refused),
            ingested_files=spark.createDataFrame(accounts, INGESTED_FILES.schema),
        )

    def _rows(self, spark: SparkSession, table: Table) -> DataFrame:
        """The rows of all files of a table, persisted."""
        rows = [self._converted(spark, file, table) for file in self.inputs if table_name(file.path) == table.name]
        return persist(checked(reduce(DataFrame.unionByName, rows, _no_rows(spark, table)), table))

    def _converted(self, spark: SparkSession, file: InputFile, table: Table) -> DataFrame:
        frame = locate(file.path, self.storage).read(spark).withColumn("split", F.lit(file.split))
        return converted(frame.drop("site"), table, self.site, file.path)

    def _accounts(self, table: Table, frame: DataFrame) -> Iterator[FileAccount]:
        counts = counts_by(frame, F.col("source_file"))
        for file in self.inputs:
            if table_name(file.path) == table.name:
                yield account(self.site, file.path, file.split, table, counts.get(file.path, (0, 0)))


def _no_rows(spark: SparkSession, table: Table) -> DataFrame:
    empty = F.lit(None).cast("string")
    return table.empty(spark).select("*", empty.alias(PROBLEM), empty.alias(RAW))
