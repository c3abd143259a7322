"""The rules of forgetting: which rows of a run are about a user or a post, and go.

The names of a table's columns say which of its rows are about a user or a post. A row goes if a forgotten user wrote it
or it is about him, or if it names a forgotten post or what belongs to one: the answers to a forgotten question, the
comments on a forgotten post, their votes, links and histories. Rows that only refer to either, such as a post that a
forgotten user has edited, stay without the reference.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.lake.table import Table

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
