"""What a lake has forgotten of a site, and how a run that reads a dump leaves it out."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import forgotten
from cqa_spark.corpora.gone import Change, Gone
from cqa_spark.lake.forgotten import Forgotten, of_site, read_forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persisted


@contextmanager
def gone_from(tables: RunTables, site: str, named: Sequence[Forgotten], *, has_comments: bool = True) -> Iterator[Gone]:
    """What goes with forgotten users and posts, by the posts and comments of a run.

    Args:
        tables: the run.
        site: the site.
        named: its users and posts.
        has_comments: whether the run may have comments.
    """
    users, posts = ([each.id for each in named if each.kind == kind] for kind in ("user", "post"))
    with persisted(_documents(tables, site, users, posts, has_comments)) as (documents,):
        yield Gone(site, users, documents)


def leave_out_forgotten(
    run: Run, sites: Collection[str], tables: Iterable[Table], entries: Iterable[Entry]
) -> list[Entry]:
    """Remove what the lake has forgotten from tables that were just read, and delete the files that had it.

    Args:
        run: the run.
        sites: the sites that were read.
        tables: the tables that were read.
        entries: the entries of ``INGESTED_FILES``.

    Returns:
        The entries, with the records that were removed.
    """
    listed, counted, read = read_forgotten(run.lake.objects), list(entries), list(tables)
    for site in sorted(sites):
        if own := of_site(listed, site):
            with run.step("forget") as step, gone_from(run, site, own, has_comments=COMMENTS in read) as gone:
                step.rows_in = sum(run.files_or_none(table).rows_by_site()[site] for table in read)
                changes = gone.remove_from(run, read)
                step.rows_out = step.rows_in - sum(change.removed for change in changes)
            run.delete_unused(read)
            counted = recounted(counted, site, changes)
    return counted


def recounted(entries: Iterable[Entry], site: str, changes: Iterable[Change]) -> list[Entry]:
    """Entries of ``INGESTED_FILES`` after rows of a site were removed.

    Args:
        entries: the entries; of a file that fills several tables, records are not rows, and the counts stay.
        site: the site.
        changes: of its tables.
    """
    removed = {(site, change.table, change.source_file): change.removed for change in changes}

    def recount(entry: Entry) -> Entry:
        rows = removed.get((entry["site"], entry["table_name"], entry["source_file"]), 0)
        counts = {"rows_out": entry["rows_out"] - rows, "rows_forgotten": forgotten(entry) + rows}
        return {**entry, **counts} if rows else entry

    return list(map(recount, entries))


def _documents(
    tables: RunTables, site: str, users: Sequence[str], posts: Sequence[str], has_comments: bool
) -> DataFrame:
    """The ids of all posts that go with those that are forgotten, and of the documents of their comments."""
    named = tables.lake.spark.createDataFrame([(post,) for post in posts], "id string")
    if not tables.has(POSTS):
        return named
    of_site = tables.read(POSTS).where(F.col("site") == site)
    own = of_site.where(F.col("user_id").isin(*users)).select(F.col("post_id").alias("id")).union(named).distinct()
    answers = of_site.join(own.withColumnRenamed("id", "thread_id"), "thread_id", "left_semi")
    all_posts = own.union(answers.select("post_id")).distinct()
    if not (has_comments and tables.has(COMMENTS)):
        return all_posts
    comments = tables.read(COMMENTS).where(F.col("site") == site)
    on_posts = [
        comments.join(all_posts.withColumnRenamed("id", name), name, "left_semi").select(*comments.columns)
        for name in ("post_id", "thread_id")
    ]
    by_users = comments.where(F.col("user_id").isin(*users))
    of_comments = reduce(DataFrame.unionByName, [by_users, *on_posts])
    return all_posts.union(of_comments.select(comment_document())).distinct()
