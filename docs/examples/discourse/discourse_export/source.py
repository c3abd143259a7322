"""Files of topics → the community tables of a run."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.source import AnnotatedFiles, CommunityTables, DumpFormat
from cqa_spark.corpora.whole_files import of_file, read_whole_files
from cqa_spark.errors import ConfigError
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.spark.frames import persist
from cqa_spark.spark.internals import to_arrow_schema
from discourse_export.topics import Post, posts_of

_TEXTS = [name for name in Post._fields if name != "tags"]
_RECORD = T.StructType(
    [
        T.StructField("file", T.IntegerType()),
        *[T.StructField(name, T.StringType()) for name in _TEXTS],
        T.StructField("tags", T.ArrayType(T.StringType())),
    ]
)


class DiscourseTopics(AnnotatedFiles):
    """Topics of one forum, a file each; they have no labels but the solutions."""

    patterns: ClassVar[tuple[str, ...]] = ("*.json",)

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files; one that is no topic is quarantined."""
        paths = [file.path for file in self.inputs]
        source = {"site": F.lit(self.site), "source_file": of_file(paths), "split": F.lit(UNANNOTATED)}
        parsed = persist(read_whole_files(spark, paths, self.storage).mapInArrow(_parse, _RECORD).withColumns(source))
        return CommunityTables(
            posts=POSTS.complete(_posts(parsed)),
            comments=COMMENTS.empty(spark),
            users=USERS.complete(parsed.where("user_id IS NOT NULL").select("site", "user_id").distinct()),
            judgments=JUDGMENTS.empty(spark),
            quarantine=QUARANTINE.conform(_quarantine(parsed)),
            ingested_files=_counts(parsed),
        )


def _parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = to_arrow_schema(_RECORD)
    for batch in batches:
        for file, content in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            rows = [{"file": file, **post._asdict()} for post in posts_of(content)]
            yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _posts(parsed: DataFrame) -> DataFrame:
    is_question = F.col("post_id") == F.col("thread_id")
    return parsed.where("post_id IS NOT NULL").select(
        "site", "post_id", F.when(is_question, "question").otherwise("answer").alias("post_type"), "thread_id",
        "user_id", F.to_timestamp("created_at").alias("created_at"), "subject", "body", "tags", "accepted_answer_id",
        "split", "source_file",
    )  # fmt: skip


def _quarantine(parsed: DataFrame) -> DataFrame:
    return parsed.where("problem IS NOT NULL").select(
        "site", "source_file", F.lit(0).cast("bigint").alias("byte_offset"), F.col("problem").alias("reason"),
        F.lit("").alias("raw"),
    )  # fmt: skip


def _counts(parsed: DataFrame) -> DataFrame:
    """Rows of every file: posts, or one for a file that is no topic."""
    return parsed.groupBy("site", "source_file", "split").agg(
        F.lit(POSTS.name).alias("table_name"),
        F.count(F.lit(1)).alias("lines"),
        F.lit(0).cast("bigint").alias("not_rows"),
        F.lit(None).cast("boolean").alias("is_complete"),
        F.count(F.lit(1)).alias("rows_in"),
        F.count("post_id").alias("rows_out"),
        F.count("problem").alias("rows_quarantined"),
    )


def _topics(settings: DumpJobSettings, *, full: bool = False) -> list[DiscourseTopics]:
    """The topics that the settings name, as the dump of one site."""
    if not settings.dumps.site:
        raise ConfigError("topics name no site", "name it: --site meta.example.org")
    return [DiscourseTopics({UNANNOTATED: settings.dumps.input}, settings.dumps.site, settings.object_storage)]


def _before_search(files: object, settings: DumpJobSettings) -> DiscourseTopics:
    return DiscourseTopics({}, "", settings.object_storage)


DISCOURSE = DumpFormat("topics of a Discourse forum, one JSON file each", _before_search, _topics)
