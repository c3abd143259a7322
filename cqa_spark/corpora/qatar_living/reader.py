"""Reads files of Qatar Living into community tables."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.accounting import file_counts
from cqa_spark.corpora.annotated_files import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.content_check import check_content
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.qatar_living.layout import LAYOUTS, Layout
from cqa_spark.corpora.qatar_living.records import RECORD, THREAD, parse_range
from cqa_spark.corpora.qatar_living.repeats import contested_ids, refuse_repeats, refuse_shared_between_splits
from cqa_spark.corpora.qatar_living.source import ProbedFile, probe
from cqa_spark.corpora.qatar_living.tables import JudgedTasks, comments_table, judgments_table, posts_table, users_table
from cqa_spark.corpora.quarantine import quarantined
from cqa_spark.corpora.whole_files import of_file, parse_files
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.object_store.s3 import credentials
from cqa_spark.spark.persistence import persist

SITE = "qatarliving.com"


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
        """Read the files; of a thread in several files of a split, the copies after the first are quarantined.

        Raises:
            InputError: a file cannot be read or has no readable thread or no text, or a thread is in two annotated
                splits.
        """
        inputs = self.inputs
        files = [probe(file, self.layouts, self.storage) for file in inputs]
        parsed = persist(_parsed(spark, files, self.storage))
        records = parsed.where("byte_offset IS NOT NULL")
        check_content(
            records,
            inputs,
            expected=[file.layout.about for file in files],
            texts={
                "question": F.array("thread.subject", "thread.body"),
                "comment": F.col("thread.comments.body"),
                **({"answer": F.col("thread.answers.body")} if any(layout.answer for layout in self.layouts) else {}),
            },
            times=F.concat(
                F.array("thread.created_at"), F.transform("thread.comments", lambda comment: comment["created_at"])
            ),
        )
        contested = persist(contested_ids(records))
        refuse_shared_between_splits(contested, inputs)
        settled = refuse_repeats(parsed, contested, inputs)
        threads = _threads(settled, inputs, self.site)
        return CommunityTables(
            posts=POSTS.complete(posts_table(threads)),
            comments=COMMENTS.complete(comments_table(threads)),
            users=USERS.complete(users_table(threads)),
            judgments=JUDGMENTS.complete(judgments_table(threads, self.tasks)),
            quarantine=quarantined(settled, inputs, self.site),
            ingested_files=file_counts(settled, inputs, self.site),
        )


def _parsed(spark: SparkSession, files: Sequence[ProbedFile], storage: ObjectStorageSettings) -> DataFrame:
    """The records of files, and their numbers."""
    ranges = [(number, *part) for number, file in enumerate(files) for part in file.ranges()]
    tasks = spark.createDataFrame(ranges, "file int, start bigint, stop bigint").repartition(len(ranges))
    return parse_files(tasks, partial(parse_range, files, storage, credentials()), RECORD)


def _threads(records: DataFrame, inputs: Sequence[InputFile], site: str) -> DataFrame:
    return records.where(F.col("thread").isNotNull()).select(
        F.lit(site).alias("site"),
        of_file([file.path for file in inputs]).alias("source_file"),
        of_file([file.split for file in inputs]).alias("split"),
        "file",
        "byte_offset",
        *[F.col(f"thread.{name}") for name in THREAD.names],
    )
