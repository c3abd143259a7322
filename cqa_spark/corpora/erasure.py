"""What a lake must forget: users and posts whose rows are left out of all later runs, whatever the dumps contain."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import forgotten
from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import Table, fingerprint_of
from cqa_spark.object_store.store import Changed, ObjectStore, damaged, first_mistake
from cqa_spark.spark.frames import persisted

KEY = "forgotten.json"


class Forgotten(BaseModel):
    """A user or a post of a site.

    Attributes:
        site: the site.
        kind: what it is.
        id: its id on the site.
        attempt: number of the attempt that removed it; earlier ones may still have its data.
    """

    model_config = ConfigDict(frozen=True)

    site: str
    kind: Literal["user", "post"]
    id: str
    attempt: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.id} of {self.site}"


_LIST = TypeAdapter(tuple[Forgotten, ...])


def read_forgotten(store: ObjectStore) -> tuple[Forgotten, ...]:
    """The users and posts that the lake has forgotten.

    Raises:
        ContractError: the list is damaged.
    """
    return _read(store)[0]


def add_forgotten(store: ObjectStore, named: Forgotten) -> None:
    """Add a user or a post to the list, in place of an earlier entry of it.

    Args:
        store: the lake's objects, whose lease this process holds.
        named: the user or post.

    Raises:
        AnotherWriter: another process has just changed the list.
    """
    listed, version = _read(store)
    others = [each for each in listed if str(each) != str(named)]
    data = _LIST.dump_json(tuple(sorted([*others, named], key=str)), indent=2)
    try:
        store.create_or_replace(KEY, data, version)
    except Changed as error:
        raise AnotherWriter(f"another process has just written {store.root}/{KEY}", "run the job again") from error


def of_site(forgotten: Iterable[Forgotten], site: str) -> list[Forgotten]:
    """Those of a site."""
    return [each for each in forgotten if each.site == site]


def forgotten_version(forgotten: Iterable[Forgotten]) -> str:
    """A text that differs if something else is forgotten, without telling it; empty for nothing."""
    named = sorted(map(str, forgotten))
    return f" forgotten={fingerprint_of(*named)[:12]}" if named else ""


def _read(store: ObjectStore) -> tuple[tuple[Forgotten, ...], str | None]:
    stored = store.read(KEY)
    if stored is None:
        return (), None
    try:
        return _LIST.validate_json(stored.data), stored.version
    except ValidationError as error:
        raise damaged(store.root, KEY, first_mistake(error)) from error


# The rules of forgetting: which rows of a run are about a user or a post, and go.
#
# The names of a table's columns say which of its rows are about a user or a post. A row goes if a forgotten user
# wrote it or it is about him, or if it names a forgotten post or what belongs to one: the answers to a forgotten
# question, the comments on a forgotten post, their votes, links and histories. Rows that only refer to either, such
# as a post that a forgotten user has edited, stay without the reference.

_USERS = frozenset({"user_id", "author_id", "asker_id"})
"""Columns that name a user whom the row is about, or who wrote it."""

_ALIASES = frozenset({"alias", "person"})
"""Columns of models that name such a user by an alias."""

_DOCUMENTS = frozenset({"post_id", "thread_id", "related_post_id", "query_id", "candidate_id", "document_id"})
"""Columns that name a post, or a comment by its document."""

_COMMENT = "comment_id"
"""The column of a comment, which is also a document."""

_REFERENCES = {
    "accepted_answer_id": None,
    "same_as": None,
    "excerpt_post_id": None,
    "wiki_post_id": None,
    "fold_key": "query_id",
    "topic": "query_id",
}
"""Columns that refer to a post, and the column whose value takes its place; None for null."""

_EDITORS = ("editor_id", "editor_name")
"""Columns that name a later editor."""

_VERBATIM = ("raw", "reason")
"""Columns with records as they were read, which may be about anybody: a site that has forgotten somebody keeps only
their places, and the reasons without the values that they quote."""

_QUOTED = r"""(?s):.*|['"].*['"]|\d+"""
"""The parts of a reason that quote values."""


class Change(NamedTuple):
    """How the rows of a table that were read from a file change.

    Attributes:
        table: name of the table.
        source_file: the file; None if the table does not tell.
        removed: number of rows that go.
        altered: number of rows that stay without a reference.
    """

    table: str
    source_file: str | None
    removed: int
    altered: int


@dataclass(frozen=True)
class Gone:
    """What is forgotten on a site; created by ``forgetting.gone_from``.

    Attributes:
        site: the site.
        users: ids of users.
        documents: ids of posts and of the documents of comments: ``id``; persisted.
        aliases: of the users in models.
    """

    site: str
    users: Sequence[str]
    documents: DataFrame
    aliases: Sequence[str] = ()

    def changes(self, run: RunTables, tables: Iterable[Table]) -> list[Change]:
        """How tables of a run change, in one query; those that stay as they are have none.

        Args:
            run: the run.
            tables: divided by site; those without rows of the site are skipped.
        """
        marked = [
            self._marked(self._of_site(run.read(table))).select(
                F.lit(table.name).alias("table"),
                "source_file" if "source_file" in table.schema.names else F.lit(None).cast("string"),
                self._goes(table.schema.names).alias("goes"),
                self._changes(table.schema.names).alias("changes"),
            )
            for table in tables
            if run.has(table) and run.files(table).rows_by_site()[self.site]
        ]
        if not marked:
            return []
        counted = reduce(DataFrame.union, marked).toDF("table", "source_file", "goes", "changes")
        removed, altered = F.count_if("goes").alias("removed"), F.count_if(~F.col("goes") & F.col("changes"))
        by_file = counted.groupBy("table", "source_file").agg(removed, altered.alias("altered"))
        changes = [Change(*row) for row in by_file.where("removed + altered > 0").collect()]
        return sorted(changes, key=lambda change: (change.table, change.source_file or ""))

    def remove_from(self, run: Run, tables: Iterable[Table]) -> list[Change]:
        """Write those tables of a run anew that change, with one write each; return how they change.

        Args:
            run: the run.
            tables: as for ``changes``.
        """
        wanted = list(tables)
        changes = self.changes(run, wanted)
        changed = {change.table for change in changes}
        for table in wanted:
            if table.name in changed:
                before = run.files(table)
                rest = _ranked(self.rest(self._of_site(run.read(table))), table)
                run.replace(table, rest, sites=[self.site], base=before)
        return changes

    def concerns(self, rows: DataFrame) -> bool:
        """Whether any of some rows, which have a site, change."""
        columns = rows.columns
        marked = self._marked(self._of_site(rows)).where(self._goes(columns) | self._changes(columns))
        return not marked.isEmpty()

    def rest(self, rows: DataFrame) -> DataFrame:
        """The rows that stay, without references to what is forgotten; those of other sites as they are."""
        columns = rows.columns
        stays = self._marked(rows).where(~(self._is_here() & self._goes(columns)))
        changed = self._changed(columns)
        return stays.select(
            *[
                F.when(self._is_here() & changed[name][0], changed[name][1]).otherwise(F.col(name)).alias(name)
                if name in changed
                else name
                for name in columns
            ]
        )

    def remove_entries(self, run: Run, tables: Iterable[Table | JournalTable]) -> None:
        """Remove the entries of the site from journal tables that name users or documents."""
        for table in tables:
            names = set(table.schema.names)
            if isinstance(table, JournalTable) and "site" in names and names & (_USERS | _DOCUMENTS) and run.has(table):
                run.write_entries(table, [each for each in run.entries(table) if each["site"] != self.site])

    def _of_site(self, rows: DataFrame) -> DataFrame:
        return rows.where(self._is_here())

    def _is_here(self) -> Column:
        return F.col("site") == self.site

    def _marked(self, rows: DataFrame) -> DataFrame:
        """The rows with a mark for each column of ids of documents: true for those that are forgotten, else null."""
        if _COMMENT in rows.columns:
            rows = rows.withColumn("document_id", comment_document())
        for name in sorted((_DOCUMENTS | _REFERENCES.keys()).intersection(rows.columns)):
            ids = self.documents.select(F.col("id").alias(name), F.lit(True).alias(_mark(name)))
            rows = rows.join(F.broadcast(ids), name, "left")
        return rows

    def _goes(self, columns: Iterable[str]) -> Column:
        """Whether a marked row goes."""
        names = set(columns)
        documents = _DOCUMENTS & names | ({"document_id"} if _COMMENT in names else set())
        by_document = [F.col(_mark(name)) for name in sorted(documents)]
        by_user = [F.col(name).isin(*self.users) for name in sorted(_USERS & names)]
        by_alias = [F.col(name).isin(*self.aliases) for name in sorted(_ALIASES & names)]
        return _any([*by_document, *by_user, *by_alias])

    def _changes(self, columns: Iterable[str]) -> Column:
        """Whether a marked row that stays changes."""
        return _any(condition for condition, _ in self._changed(columns).values())

    def _changed(self, columns: Iterable[str]) -> Mapping[str, tuple[Column, Column]]:
        """Of each column that refers to documents or users: when its value changes in a marked row, and to which."""
        names, nothing = set(columns), F.lit(None).cast("string")
        changed = {
            name: (F.col(_mark(name)).isNotNull(), nothing if other is None else F.col(other))
            for name, other in _REFERENCES.items()
            if name in names
        }
        if names.issuperset(_EDITORS):
            changed |= {name: (F.col("editor_id").isin(*self.users), nothing) for name in _EDITORS}
        if names.issuperset({"history_type_id", "text"}) and self.users:
            # Events such as closing list the users who voted for it, in JSON.
            voters = rf'"Voters"\s*:.*"Id"\s*:\s*"?(?:{"|".join(map(re.escape, self.users))})\b'
            changed["text"] = F.col("text").rlike(voters), nothing
        if names.issuperset(_VERBATIM):
            is_stored = F.col("raw") != ""
            changed |= {"raw": (is_stored, F.lit("")), "reason": (is_stored, F.regexp_replace("reason", _QUOTED, "…"))}
        return changed


def _ranked(rows: DataFrame, table: Table) -> DataFrame:
    """The rows, whose ranks count from 1 again where the candidates of a query have some."""
    if "rank" not in rows.columns:
        return rows
    of_query = Window.partitionBy(*[name for name in table.key if name != "candidate_id"]).orderBy("rank")
    return rows.withColumn("rank", F.row_number().over(of_query))


def _any(conditions: Iterable[Column]) -> Column:
    """Whether a condition is true; one that is null is not."""
    return reduce(lambda one, other: one | F.coalesce(other, F.lit(False)), conditions, F.lit(False))


def _mark(column: str) -> str:
    return f"{column} is forgotten"


# What a lake has forgotten of a site, and how a run that reads a dump leaves it out.


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
