"""Author, address and licence of each text: what CC BY-SA asks of everybody who passes a text on."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.text import DOCUMENTS, comment_document
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import column
from cqa_spark.spark.frames import without_rows
from cqa_spark.text.markup import is_html

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

_SIGNS = ("path", "dated", "user_id", "user_name", "content_license")

NOT_STATED = "licence unknown"


def attributions(run: RunTables) -> DataFrame:
    """The attribution of each post and comment of a run; no rows if the run has no community tables.

    Args:
        run: its tables.

    Returns:
        ``site``, ``document_id`` as in the table of documents, and the columns of ``ATTRIBUTION``.
    """
    if not run.has(POSTS):
        return without_rows(run.lake.spark, T.StructType([*DOCUMENTS.schema.fields[:2], *ATTRIBUTION]))
    texts = texts_of(run.read(POSTS), run.read(COMMENTS) if run.has(COMMENTS) else None)
    return with_attributions(run, texts).select("site", "document_id", *ATTRIBUTION.names)


def texts_of(posts: DataFrame, comments: DataFrame | None) -> DataFrame:
    """The texts of posts and comments, and what ``with_attributions`` reads of them.

    Args:
        posts: rows of ``POSTS``.
        comments: rows of ``COMMENTS``; None for none.

    Returns:
        ``site``, ``document_id``, ``subject`` (null for comments), ``body``, ``is_html``, ``created_at`` and others.
    """
    path = F.concat(F.when(F.col("post_type") == "answer", "a/").otherwise("q/"), "post_id")
    shown = F.col("subject"), is_html().alias("is_html")
    texts = _texts(posts, F.col("post_id"), path, F.coalesce("edited_at", "created_at"), *shown)
    if comments is None:
        return texts
    path = F.concat(F.lit("posts/comments/"), "comment_id")
    said = _texts(comments, comment_document(), path, F.col("created_at"))
    return texts.unionByName(said, allowMissingColumns=True)


def with_attributions(run: RunTables, texts: DataFrame) -> DataFrame:
    """Replace what attributions are made of by the columns of ``ATTRIBUTION``.

    Args:
        run: has the posts, and perhaps the users.
        texts: as ``texts_of`` returns them, perhaps with rows without a text, whose attribution is null.
    """
    if run.has(USERS):
        names = run.read(USERS).select("site", "user_id", F.col("name").alias("user"))
        texts = texts.join(names, on=["site", "user_id"], how="left")
    else:
        texts = texts.withColumn("user", F.lit(None).cast("string"))
    files = run.files(POSTS).files
    of_stackexchange = {file.site for file in files if file.nulls.get("post_type_id", file.rows) < file.rows}
    is_of_stackexchange = F.col("site").isin(*of_stackexchange)
    by_date = reduce(
        lambda older, since: older.when(F.col("dated") >= F.lit(since).cast("timestamp"), _SINCE[since]),
        _SINCE,
        F.when(F.col("dated").isNull() | ~is_of_stackexchange, None),
    ).otherwise(_FIRST)
    address = F.concat(F.lit("https://"), "site", F.lit("/"), "path")
    attributed = texts.withColumns(
        {
            "author": F.coalesce("user", "user_name"),
            "address": F.when(is_of_stackexchange, address),
            "licence": F.coalesce("content_license", by_date),
        }
    )
    return attributed.drop("user", *_SIGNS)


def _texts(rows: DataFrame, document_id: Column, path: Column, dated: Column, *others: Column) -> DataFrame:
    named = document_id.alias("document_id"), path.alias("path"), dated.alias("dated")
    return rows.select("site", *named, "body", "created_at", "user_id", "user_name", "content_license", *others)


def licence_counts(attributed: DataFrame) -> dict[str, int]:
    """The number of texts under each licence, in alphabetical order; ``NOT_STATED`` if it is unknown."""
    licence = F.coalesce("licence", F.lit(NOT_STATED)).alias("licence")
    return {row["licence"]: row["count"] for row in attributed.groupBy(licence).count().orderBy("licence").collect()}
