"""Collects the texts of a few posts and comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.reports.scope import Scope
from cqa_spark.text.markup.bodies import is_html
from cqa_spark.text.markup.body import parse_body

Key = tuple[str, str]
"""Site and id."""


class PostText(NamedTuple):
    """Title and text of a post or comment; unknown values are empty."""

    subject: str = ""
    body: str = ""

    @property
    def whole(self) -> str:
        """Title and text, joined by a line break."""
        return "\n".join(part for part in self if part)


def collect_texts(scope: Scope, ids: Sequence[Key]) -> dict[Key, PostText]:
    """Available texts of posts and comments, by site and id."""
    found: dict[Key, PostText] = {}
    documents, texts, posts = (scope.tables.get(name) for name in ("documents", "texts", "posts"))
    if documents is not None and texts is not None:
        known = documents.join(ids_frame(scope, "document_id", ids), on=["site", "document_id"])
        said = texts.select("text_id", "raw").join(F.broadcast(known), on="text_id")
        found |= {(row.site, row.document_id): PostText("", row.raw) for row in said.collect()}
    if posts is not None:
        written = posts.join(ids_frame(scope, "post_id", ids), on=["site", "post_id"])
        rows = written.select("site", "post_id", "subject", "body", is_html().alias("is_html")).collect()
        found |= {(row.site, row.post_id): PostText(row.subject or "", _prose(row)) for row in rows}
    return found


def _prose(post: Row) -> str:
    """The text of a post, without the code and quotes of an HTML body."""
    body: str = post.body or ""
    return parse_body(body).prose if post.is_html else body


def ids_frame(scope: Scope, name: str, ids: Sequence[Key]) -> DataFrame:
    """A frame of few ids, which joins broadcast.

    Args:
        scope: rows to report on.
        name: name of the id column, beside ``site``.
        ids: the ids.
    """
    schema = T.StructType([T.StructField(column, T.StringType(), False) for column in ("site", name)])
    return F.broadcast(scope.rankings().sparkSession.createDataFrame(ids, schema))
