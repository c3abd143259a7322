"""Erasure of users and posts: the list of those that a lake has forgotten, and the removal of their rows from runs.

The names of a table's columns say which of its rows are about a user or a post. A row is erased if a forgotten user
wrote it or it is about him, or if it names a forgotten post or what belongs to one: the answers to a forgotten
question, the comments on a forgotten post, their votes, links and histories. Rows that only refer to either, such as a
post that a forgotten user has edited, stay without the reference.

Later runs leave them out, whatever the dumps contain. ``cqa lake forget`` adds to the list and removes rows, texts and
models of the published run (``steps/forget.py``).
"""

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
"""The object of a lake with the list."""

_USERS = frozenset({"user_id", "author_id", "asker_id"})
"""Columns that name a user whom the row is about, or who wrote it."""

_ALIASES = frozenset({"alias", "person"})
"""Columns of models that name such a user by an alias."""

_DOCUMENTS = frozenset(
    {"post_id", "thread_id", "related_post_id", "query_id", "candidate_id", "document_id", "other_id"}
)
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
    "cluster": "post_id",
}
"""Columns that refer to a post, and the column whose value takes its place; None for null."""

_EDITORS = ("editor_id", "editor_name")
"""Columns that name a later editor."""

_VERBATIM = ("raw", "reason")
"""Columns with records as they were read, which may be about anybody: a site that has forgotten somebody keeps only
their files and offsets, and the reasons without the values that they quote."""

_QUOTED = r"""(?s):.*|['"].*['"]|\d+"""
"""The parts of a reason that quote values."""


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
    others = [entry for entry in listed if str(entry) != str(named)]
    data = _LIST.dump_json(tuple(sorted([*others, named], key=str)), indent=2)
    try:
        store.create_or_replace(KEY, data, version)
    except Changed as error:
        raise AnotherWriter(f"another process has just written {store.root}/{KEY}", "run the job again") from error


def of_site(forgotten: Iterable[Forgotten], site: str) -> list[Forgotten]:
    """The users and posts of a site."""
    return [entry for entry in forgotten if entry.site == site]


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


class Change(NamedTuple):
    """How the rows of a table that were read from a file change.

    Attributes:
        table: name of the table.
        source_file: the file; None if the table does not tell.
        removed: number of rows that are erased.
        altered: number of rows that stay without a reference.
    """

    table: str
    source_file: str | None
    removed: int
    altered: int


@dataclass(frozen=True)
class Erasure:
    """The users and posts of a site that are erased; made by ``erasure_of``.

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
                self._is_erased(table.schema.names).alias("is_erased"),
                self._changes(table.schema.names).alias("changes"),
            )
            for table in tables
            if run.has(table) and run.files(table).rows_by_site()[self.site]
        ]
        if not marked:
            return []
        counted = reduce(DataFrame.union, marked).toDF("table", "source_file", "is_erased", "changes")
        by_file = counted.groupBy("table", "source_file").agg(
            F.count_if("is_erased").alias("removed"),
            F.count_if(~F.col("is_erased") & F.col("changes")).alias("altered"),
        )
        changes = [Change(*row) for row in by_file.where("removed + altered > 0").collect()]
        return sorted(changes, key=lambda change: (change.table, change.source_file or ""))

    def remove_from(self, run: Run, tables: Iterable[Table]) -> list[Change]:
        """Write those tables of a run anew that change, with one write each; return how they change.

        Args:
            run: the run.
            tables: as for ``changes``.
        """
        tables = list(tables)
        changes = self.changes(run, tables)
        changed = {change.table for change in changes}
        for table in tables:
            if table.name in changed:
                before = run.files(table)
                remaining = self.remaining_rows(self._of_site(run.read(table)))
                if "rank" in remaining.columns:
                    # The ranks of the candidates that a query still has count from 1 again.
                    of_query = Window.partitionBy(*[name for name in table.key if name != "candidate_id"])
                    remaining = remaining.withColumn("rank", F.row_number().over(of_query.orderBy("rank")))
                run.replace(table, remaining, sites=[self.site], base=before)
        return changes

    def concerns(self, rows: DataFrame) -> bool:
        """Whether any of some rows, which have a site, change."""
        columns = rows.columns
        marked = self._marked(self._of_site(rows)).where(self._is_erased(columns) | self._changes(columns))
        return not marked.isEmpty()

    def remaining_rows(self, rows: DataFrame) -> DataFrame:
        """The rows that are not erased, without references to what is; those of other sites as they are."""
        remaining = self._marked(rows).where(~(self._is_here() & self._is_erased(rows.columns)))
        changed = self._changed(rows.columns)
        columns = []
        for name in rows.columns:
            value = F.col(name)
            if name in changed:
                condition, new_value = changed[name]
                value = F.when(self._is_here() & condition, new_value).otherwise(value).alias(name)
            columns.append(value)
        return remaining.select(*columns)

    def remove_entries(self, run: Run, tables: Iterable[Table | JournalTable]) -> None:
        """Remove the entries of the site from journal tables that name users or documents."""
        for table in tables:
            names = set(table.schema.names)
            if isinstance(table, JournalTable) and "site" in names and names & (_USERS | _DOCUMENTS) and run.has(table):
                run.write_entries(table, [entry for entry in run.entries(table) if entry["site"] != self.site])

    def _of_site(self, rows: DataFrame) -> DataFrame:
        return rows.where(self._is_here())

    def _is_here(self) -> Column:
        return F.col("site") == self.site

    def _marked(self, rows: DataFrame) -> DataFrame:
        """The rows with a mark for each column of ids of documents: true for an id that is erased, else null."""
        if _COMMENT in rows.columns:
            rows = rows.withColumn("document_id", comment_document())
        for name in sorted((_DOCUMENTS | _REFERENCES.keys()).intersection(rows.columns)):
            ids = self.documents.select(F.col("id").alias(name), F.lit(True).alias(_mark(name)))
            rows = rows.join(F.broadcast(ids), name, "left")
        return rows

    def _is_erased(self, columns: Iterable[str]) -> Column:
        """Whether a marked row is erased."""
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
        """By column that refers to documents or users: whether its value changes in a marked row, and the new value."""
        names, nothing = set(columns), F.lit(None).cast("string")
        changed = {
            name: (F.col(_mark(name)).isNotNull(), nothing if substitute is None else F.col(substitute))
            for name, substitute in _REFERENCES.items()
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


def _any(conditions: Iterable[Column]) -> Column:
    """Whether a condition is true; one that is null is not."""
    is_true = F.lit(False)
    for condition in conditions:
        is_true = is_true | F.coalesce(condition, F.lit(False))
    return is_true


def _mark(column: str) -> str:
    return f"{column}_is_erased"


@contextmanager
def erasure_of(
    tables: RunTables, site: str, named: Sequence[Forgotten], *, has_comments: bool = True
) -> Iterator[Erasure]:
    """The erasure of users and posts, with the documents that belong to them in a run.

    Args:
        tables: the run.
        site: the site.
        named: its users and posts.
        has_comments: whether the run may have comments.
    """
    users = [entry.id for entry in named if entry.kind == "user"]
    posts = [entry.id for entry in named if entry.kind == "post"]
    with persisted(_documents(tables, site, users, posts, has_comments)) as (documents,):
        yield Erasure(site, users, documents)


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
    listed, tables, entries = read_forgotten(run.lake.objects), list(tables), list(entries)
    for site in sorted(sites):
        named = of_site(listed, site)
        if not named:
            continue
        with run.step("forget") as step, erasure_of(run, site, named, has_comments=COMMENTS in tables) as erasure:
            step.rows_in = sum(run.files_or_none(table).rows_by_site()[site] for table in tables)
            changes = erasure.remove_from(run, tables)
            step.rows_out = step.rows_in - sum(change.removed for change in changes)
        run.delete_unused(tables)
        entries = recounted(entries, site, changes)
    return entries


def recounted(entries: Iterable[Entry], site: str, changes: Iterable[Change]) -> list[Entry]:
    """Entries of ``INGESTED_FILES`` after rows of a site were removed.

    Args:
        entries: the entries; of a file that fills several tables, records are not rows, and the counts stay.
        site: the site.
        changes: of its tables.
    """
    removed = {(site, change.table, change.source_file): change.removed for change in changes}
    counted = []
    for entry in entries:
        rows = removed.get((entry["site"], entry["table_name"], entry["source_file"]), 0)
        if rows:
            counts = {"rows_out": entry["rows_out"] - rows, "rows_forgotten": forgotten(entry) + rows}
            entry = {**entry, **counts}
        counted.append(entry)
    return counted


def _documents(
    tables: RunTables, site: str, users: Sequence[str], posts: Sequence[str], has_comments: bool
) -> DataFrame:
    """The ids of the posts that are erased with users and posts, and of the documents of comments: ``id``."""
    named = tables.lake.spark.createDataFrame([(post,) for post in posts], "id string")
    if not tables.has(POSTS):
        return named
    site_posts = tables.read(POSTS).where(F.col("site") == site)
    by_users = site_posts.where(F.col("user_id").isin(*users)).select(F.col("post_id").alias("id"))
    erased = by_users.union(named).distinct()
    answers = site_posts.join(erased.withColumnRenamed("id", "thread_id"), "thread_id", "left_semi")
    erased = erased.union(answers.select("post_id")).distinct()
    if not (has_comments and tables.has(COMMENTS)):
        return erased
    comments = tables.read(COMMENTS).where(F.col("site") == site)
    erased_comments = comments.where(F.col("user_id").isin(*users))
    # Comments on erased posts, and in the threads of erased questions.
    for name in ("post_id", "thread_id"):
        on_posts = comments.join(erased.withColumnRenamed("id", name), name, "left_semi")
        erased_comments = erased_comments.unionByName(on_posts.select(*comments.columns))
    return erased.union(erased_comments.select(comment_document())).distinct()
