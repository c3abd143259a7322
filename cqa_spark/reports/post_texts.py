"""Collects the texts of a few posts and comments."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.text import DOCUMENTS
from cqa_spark.lake.schemas.text import TEXTS as ANALYSED_TEXTS
from cqa_spark.reports.reported_run import Query
from cqa_spark.text.markup.bodies import is_html
from cqa_spark.text.markup.body import parse_body

TEXTS = (POSTS, DOCUMENTS, ANALYSED_TEXTS)
"""Tables that have texts."""


class PostText(NamedTuple):
    """Title and text of a post or comment; unknown values are empty."""

    subject: str = ""
    body: str = ""

    @property
    def whole(self) -> str:
        """Title and text, joined by a line break."""
        return "\n".join(part for part in self if part)


def collect_texts(tables: Mapping[str, DataFrame], ids: Sequence[Query]) -> dict[Query, PostText]:
    """Available texts of posts and comments, by site and id; the text of a post is in the table of posts.

    Args:
        tables: by name, those of ``TEXTS`` that a run has.
        ids: site and id of posts and comments.
    """
    frames = [*_analysed(tables, ids), *_posts(tables, ids)]
    if not frames:
        return {}
    rows = reduce(DataFrame.unionByName, frames).collect()
    rows.sort(key=lambda row: row.is_post)
    return {(row.site, row.id): PostText(row.subject or "", _prose(row)) for row in rows}


def truncated(text: str, characters: int) -> str:
    """A text, truncated with an ellipsis."""
    return text if len(text) <= characters else f"{text[:characters]}…"


def any_of(column: str, ids: Sequence[Query]) -> Column:
    """Whether a row has one of a few ids, in a column beside ``site``."""
    return F.struct("site", column).isin([F.struct(F.lit(site), F.lit(id_)) for site, id_ in ids])


def _analysed(tables: Mapping[str, DataFrame], ids: Sequence[Query]) -> Iterator[DataFrame]:
    documents, texts = tables.get("documents"), tables.get("texts")
    if documents is not None and texts is not None:
        wanted = documents.where(any_of("document_id", ids)).select("site", "document_id", "text_id")
        said = texts.select("text_id", F.col("raw").alias("body")).join(F.broadcast(wanted), on="text_id", how="inner")
        yield said.select(
            "site",
            F.col("document_id").alias("id"),
            F.lit(None).cast("string").alias("subject"),
            "body",
            F.lit(False).alias("is_html"),
            F.lit(False).alias("is_post"),
        )


def _posts(tables: Mapping[str, DataFrame], ids: Sequence[Query]) -> Iterator[DataFrame]:
    posts = tables.get("posts")
    if posts is not None:
        yield posts.where(any_of("post_id", ids)).select(
            "site",
            F.col("post_id").alias("id"),
            "subject",
            "body",
            is_html().alias("is_html"),
            F.lit(True).alias("is_post"),
        )


def _prose(text: Row) -> str:
    """The text without the code and quotes of an HTML body."""
    body: str = text.body or ""
    return parse_body(body).prose if text.is_html else body
