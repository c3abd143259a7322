"""Author, address and licence of each text: what CC BY-SA asks of everybody who passes a text on."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.text import DOCUMENTS, comment_document
from cqa_spark.lake.table import column

ATTRIBUTION = T.StructType(
    [
        column("author", "string", "name of the author; null where unknown or deleted"),
        column("address", "string", "address of the post or comment on its site; null outside Stack Exchange"),
        column("licence", "string", "licence of the text, as the dump states it or by its date; null where unknown"),
    ]
)

_SINCE = {"2018-05-02": "CC BY-SA 4.0", "2011-04-08": "CC BY-SA 3.0"}
"""Licence of what is posted or edited on Stack Exchange since a day, https://stackoverflow.com/help/licensing; dumps
before 2018 do not state it."""
_FIRST = "CC BY-SA 2.5"

NOT_STATED = "licence unknown"


def attributions(run: RunTables) -> DataFrame:
    """The attribution of each post and comment of a run; no rows if the run has no community tables.

    Args:
        run: its tables.

    Returns:
        ``site``, ``document_id`` as in the table of documents, and the columns of ``ATTRIBUTION``.
    """
    if not run.has(POSTS):
        return run.lake.spark.createDataFrame([], T.StructType([*DOCUMENTS.schema.fields[:2], *ATTRIBUTION]))
    posts = run.read(POSTS)
    path = F.concat(F.when(F.col("post_type") == "answer", "a/").otherwise("q/"), "post_id")
    frames = [_signed(posts, F.col("post_id"), path, F.coalesce("edited_at", "created_at"))]
    if run.has(COMMENTS):
        path = F.concat(F.lit("posts/comments/"), "comment_id")
        frames.append(_signed(run.read(COMMENTS), comment_document(), path, F.col("created_at")))
    texts = reduce(DataFrame.unionByName, frames)
    of_stackexchange = (
        posts.where("post_type_id IS NOT NULL").select("site", F.lit("https://").alias("scheme")).distinct()
    )
    texts = texts.join(F.broadcast(of_stackexchange), on="site", how="left")
    if run.has(USERS):
        names = run.read(USERS).select("site", "user_id", F.col("name").alias("user"))
        texts = texts.join(names, on=["site", "user_id"], how="left")
    else:
        texts = texts.withColumn("user", F.lit(None).cast("string"))
    by_date = reduce(
        lambda older, since: older.when(F.col("dated") >= F.lit(since).cast("timestamp"), _SINCE[since]),
        _SINCE,
        F.when(F.col("dated").isNull() | F.col("scheme").isNull(), None),
    ).otherwise(_FIRST)
    return texts.select(
        "site",
        "document_id",
        F.coalesce("user", "user_name").alias("author"),
        F.concat("scheme", "site", F.lit("/"), "path").alias("address"),
        F.coalesce("content_license", by_date).alias("licence"),
    )


def _signed(texts: DataFrame, document_id: Column, path: Column, dated: Column) -> DataFrame:
    return texts.select(
        "site",
        document_id.alias("document_id"),
        path.alias("path"),
        dated.alias("dated"),
        "user_id",
        "user_name",
        "content_license",
    )


def licence_counts(attributed: DataFrame) -> dict[str, int]:
    """The number of texts under each licence, in alphabetical order; ``NOT_STATED`` if it is unknown."""
    licence = F.coalesce("licence", F.lit(NOT_STATED)).alias("licence")
    return {row["licence"]: row["count"] for row in attributed.groupBy(licence).count().orderBy("licence").collect()}
