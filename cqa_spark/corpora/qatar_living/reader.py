"""Reads files of Qatar Living into community tables."""

from collections.abc import Sequence
from functools import reduce
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.annotated_files import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.content_check import check_content
from cqa_spark.corpora.inputs import InputFile, refuse_repeated_paths
from cqa_spark.corpora.qatar_living.layout import LAYOUTS, Layout
from cqa_spark.corpora.qatar_living.records import THREAD, parse_chunks
from cqa_spark.corpora.qatar_living.repeats import contested_ids, refuse_repeats, refuse_shared_between_splits
from cqa_spark.corpora.qatar_living.source import count_blocks, detect_layout, read_chunks
from cqa_spark.corpora.qatar_living.tables import JudgedTasks, comments_table, judgments_table, posts_table, users_table
from cqa_spark.corpora.quarantine import quarantined
from cqa_spark.corpora.whole_files import of_file
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.spark.internals import scan_of

SITE = "qatarliving.com"


def read_qatar_living(
    spark: SparkSession,
    inputs: Sequence[InputFile],
    tasks: JudgedTasks,
    site: str = SITE,
    layouts: Sequence[Layout] = LAYOUTS,
) -> CommunityTables:
    """Read SemEval 2015-2017 Task 3 files (English) and dumps of the same forum.

    If several files of a split contain the same thread, the copy in the first file is kept and the others are
    quarantined.

    Args:
        spark: the session.
        inputs: the files, each with its split.
        tasks: names of the judged tasks.
        site: the community of the rows.
        layouts: the possible layouts of the files.

    Raises:
        InputError: no file was given, one is given twice, one cannot be read or has no readable thread or no text, or
            a thread is in two annotated splits.
    """
    if not inputs:
        raise InputError("no input files", "name at least one file or directory")
    refuse_repeated_paths(inputs)
    layout_of = {place: detect_layout(spark, file, layouts) for place, file in enumerate(inputs)}
    read = [_read(spark, inputs, layout_of, layout) for layout in layouts if layout in layout_of.values()]
    blocks = reduce(DataFrame.unionByName, [blocks for blocks, _ in read])
    parsed = reduce(DataFrame.unionByName, [records for _, records in read]).persist()
    check_content(
        scan_of(parsed),
        inputs,
        expected=[layout_of[place].about for place in range(len(inputs))],
        texts={
            "question": F.array("thread.subject", "thread.body"),
            "comment": F.col("thread.comments.body"),
            **({"answer": F.col("thread.answers.body")} if any(layout.answer for layout in layouts) else {}),
        },
        times=F.concat(
            F.array("thread.created_at"), F.transform("thread.comments", lambda comment: comment["created_at"])
        ),
    )
    contested = contested_ids(scan_of(parsed)).persist()
    refuse_shared_between_splits(scan_of(contested), inputs)
    records = refuse_repeats(scan_of(parsed), scan_of(contested), inputs)
    threads = _threads(records, inputs, site)
    return CommunityTables(
        posts=POSTS.complete(posts_table(threads)),
        comments=COMMENTS.complete(comments_table(threads)),
        users=USERS.complete(users_table(threads)),
        judgments=JUDGMENTS.complete(judgments_table(threads, tasks)),
        quarantine=quarantined(records, inputs, site),
        ingested_files=_ingested_files(spark, records, blocks, inputs, site),
        persisted=(contested, parsed, *[blocks for blocks, _ in read]),
    )


def _read(
    spark: SparkSession, inputs: Sequence[InputFile], layout_of: dict[int, Layout], layout: Layout
) -> tuple[DataFrame, DataFrame]:
    files = {place: file for place, file in enumerate(inputs) if layout_of[place] == layout}
    chunks = read_chunks(spark, files, layout)
    blocks = count_blocks(chunks, layout).persist()
    return blocks, parse_chunks(chunks, blocks, layout)


def _threads(records: DataFrame, inputs: Sequence[InputFile], site: str) -> DataFrame:
    return records.where(F.col("thread").isNotNull()).select(
        F.lit(site).alias("site"),
        of_file([file.path for file in inputs]).alias("source_file"),
        of_file([file.split for file in inputs]).alias("split"),
        "file",
        "byte_offset",
        *[F.col(f"thread.{name}") for name in THREAD.names],
    )


def _ingested_files(
    spark: SparkSession, records: DataFrame, blocks: DataFrame, inputs: Sequence[InputFile], site: str
) -> DataFrame:
    files = spark.createDataFrame(
        [(place, file.path, file.split) for place, file in enumerate(inputs)],
        "file int, source_file string, split string",
    )
    found = blocks.groupBy("file").agg(F.sum("records").alias("rows_in"))
    sorted_out = records.groupBy("file").agg(
        F.count("thread").alias("rows_out"), F.count("problem").alias("rows_quarantined")
    )
    counted = files.join(found, on="file", how="left").join(sorted_out, on="file", how="left")
    counts = [F.coalesce(name, F.lit(0)).alias(name) for name in ("rows_in", "rows_out", "rows_quarantined")]
    return counted.select(F.lit(site).alias("site"), "source_file", "split", *counts)


class QatarLivingFiles(AnnotatedFiles):
    """Files of SemEval 2015-2017 Task 3, and dumps of the same forum.

    Attributes:
        tasks: names of the judged tasks.
        layouts: the possible layouts of the files.
    """

    default_site: ClassVar[str] = SITE
    tasks: ClassVar[JudgedTasks]
    layouts: ClassVar[Sequence[Layout]] = LAYOUTS

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files."""
        return read_qatar_living(spark, self.inputs, self.tasks, self.site, self.layouts)
