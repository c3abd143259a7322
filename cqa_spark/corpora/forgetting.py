"""Removes the rows of forgotten users and posts from the tables of a run.

A row goes if it names a forgotten post or what belongs to one, or if a forgotten user wrote it or it is about him:
the answers to a forgotten question, the comments on a forgotten post, their votes, links and histories. Rows that only
mention a user as a later editor stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.document_ids import comment_document
from cqa_spark.lake.forgotten import Forgotten
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persisted

_USERS = frozenset({"user_id", "author_id", "asker_id"})
"""Columns that name a user whom the row is about, or who wrote it."""

_DOCUMENTS = frozenset(
    {"post_id", "thread_id", "related_post_id", "query_id", "candidate_id", "document_id", "fold_key"}
)
"""Columns that name a post, or a comment by its document."""

_VERBATIM = frozenset({QUARANTINE.name})
"""Tables with records as they were read, which may name anybody: a site's rows go as a whole."""


@dataclass(frozen=True)
class Gone:
    """What is forgotten on a site; created by ``gone_from``.

    Attributes:
        site: the site.
        users: ids of users.
        documents: ids of posts and of the documents of comments: ``id``; persisted.
    """

    site: str
    users: Sequence[str]
    documents: DataFrame

    def without(self, rows: DataFrame) -> DataFrame:
        """The rows of the site that name nothing forgotten."""
        kept = rows
        for name in sorted(_USERS & set(rows.columns)):
            kept = kept.where(F.col(name).isNull() | ~F.col(name).isin(*self.users))
        for name in sorted(_DOCUMENTS & set(rows.columns)):
            kept = kept.join(F.broadcast(self.documents.withColumnRenamed("id", name)), name, "left_anti")
        return kept.select(*rows.columns)

    def remove_from(self, run: Run, tables: Iterable[Table]) -> dict[str, int]:
        """Rewrite tables of a run; return the number of removed rows by table.

        Args:
            run: the run.
            tables: divided by site; those that the run does not have are skipped.
        """
        removed: dict[str, int] = {}
        for table in tables:
            before = run.files_or_none(table)
            if rows := before.rows_by_site()[self.site]:
                of_site = run.read(table).where(F.col("site") == self.site)
                kept = of_site.limit(0) if table.name in _VERBATIM else self.without(of_site)
                removed[table.name] = rows - run.replace(table, kept, sites=[self.site], base=before)
        return {name: rows for name, rows in removed.items() if rows}


@contextmanager
def gone_from(run: Run, site: str, forgotten: Sequence[Forgotten]) -> Iterator[Gone]:
    """What goes with forgotten users and posts, by the posts and comments of a run.

    Args:
        run: the run, which has the site's posts.
        site: the site.
        forgotten: its users and posts.
    """
    with persisted(_documents(run, site, forgotten)) as (documents,):
        yield Gone(site, [each.id for each in forgotten if each.kind == "user"], documents)


def _documents(run: Run, site: str, forgotten: Sequence[Forgotten]) -> DataFrame:
    """The ids of all posts that go with those that are forgotten, and of the documents of their comments."""
    users, posts = ([each.id for each in forgotten if each.kind == kind] for kind in ("user", "post"))
    of_site = run.read(POSTS).where(F.col("site") == site)
    own = of_site.where(F.col("user_id").isin(*users) | F.col("post_id").isin(*posts))
    own = own.select(F.col("post_id").alias("id")).distinct()
    answers = of_site.join(own.withColumnRenamed("id", "thread_id"), "thread_id", "left_semi")
    all_posts = own.union(answers.select("post_id")).distinct()
    if not run.has(COMMENTS):
        return all_posts
    comments = run.read(COMMENTS).where(F.col("site") == site)
    by_users = comments.where(F.col("user_id").isin(*users))
    on_posts = [
        comments.join(all_posts.withColumnRenamed("id", name), name, "left_semi").select(*comments.columns)
        for name in ("post_id", "thread_id")
    ]
    of_comments = reduce(DataFrame.unionByName, [by_users, *on_posts])
    return all_posts.union(of_comments.select(comment_document())).distinct()
