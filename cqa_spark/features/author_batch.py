"""Batches of author events in memory, in order of time: the input of author groups.

A batch holds the events of some authors and the moments at which feature values are computed. An author's rows may
continue in the next batch. Running totals are carried over, so memory does not grow with an author's history.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, reduce
from operator import or_

import numpy as np
import numpy.typing as npt
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Mask
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.training_data import LEARNED_FROM, TrainingData
from cqa_spark.spark.frames import persist

Longs = npt.NDArray[np.int64]


class EventKind(IntEnum):
    """Kind of an author's row; rows with equal times are in this order."""

    REGISTERED = 1
    """The account; ``count`` is the time of registration, in microseconds since 1970."""
    REPUTATION = 2
    """The account; ``count`` is the reputation at the time of the dump."""
    ASKED = 3
    ANSWERED = 4
    CHOSEN = 5
    """An answer that its question names as accepted; the dump has no time for it."""
    COMMENTED = 6
    UP = 7
    """Up votes received; known at the end of their day."""
    DOWN = 8
    ACCEPTED = 9
    """An answer of the author was accepted; known at the end of the day."""
    BADGE = 10
    MOMENT = 11
    """The time at which an example is evaluated; events at the same time are known."""


CONTRIBUTIONS = (
    EventKind.ASKED,
    EventKind.ANSWERED,
    EventKind.COMMENTED,
    EventKind.UP,
    EventKind.DOWN,
    EventKind.ACCEPTED,
)
"""Contributions of an author and reactions to them, each with a time and a thread."""

ALWAYS, UNDATED, END = (np.iinfo(np.int64).min, np.iinfo(np.int64).max - 1, np.iinfo(np.int64).max)
"""Times of rows that are always known, of events without a time, and of moments after the end of the dump."""


@dataclass(frozen=True)
class AuthorBatch:
    """Rows of authors, in order of author, time and kind.

    Attributes:
        author: the author's number, of shape (rows,).
        kind: the ``EventKind``, of shape (rows,).
        time: microseconds since 1970, of shape (rows,).
        count: number of events that the row represents, of shape (rows,).
        marks: for each group with a ``mark`` method, the marks of the events, of shape (rows,).
        own: contributions that the author had made in the example's own thread, by kind and moment.
        before: totals after the previous batch, by name, if that batch ended with this batch's first author.
        after: totals after this batch, by name; ``totals`` fills it.
    """

    author: Longs
    kind: npt.NDArray[np.int8]
    time: Longs
    count: Longs
    marks: Mapping[str, Longs]
    own: Mapping[EventKind, Longs]
    before: Mapping[str, Longs] = field(default_factory=dict)
    after: dict[str, Longs] = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of moments."""
        return len(self.moments)

    @cached_property
    def moments(self) -> Longs:
        """Indices of the moments; each gets feature values."""
        return np.flatnonzero(self.kind == EventKind.MOMENT)

    def rows(self, *kinds: EventKind) -> Longs:
        """Indices of the rows of the given kinds, in order."""
        is_wanted = np.zeros(len(EventKind) + 1, dtype=np.bool_)
        is_wanted[list(kinds)] = True
        return np.flatnonzero(is_wanted[self.kind])

    def marks_at(self, group: str) -> Longs:
        """A group's marks for the threads of the moments."""
        return self.marks[group][self.moments]

    def elsewhere(self, kind: EventKind) -> Longs:
        """Contributions of a kind in other threads, for each moment."""
        return self.known(kind) - self.own[kind]

    def known(self, kind: EventKind) -> Longs:
        """Sum of the counts of the author's earlier rows of a kind, for each moment."""
        return self._known[:, EventKind(kind) - 1]

    def has(self, kind: EventKind) -> Mask:
        """Whether the author has an earlier row of a kind, for each moment."""
        rows = self.rows(kind)
        return self.totals(f"has_{kind.name}", rows, np.ones((len(rows), 1), dtype=np.int64))[:, 0] > 0

    def totals(self, name: str, rows: Longs, adds: Longs) -> Longs:
        """Running sums for each moment, from the first row of its author, including previous batches.

        Args:
            name: identifies the sums across batches.
            rows: indices of the rows to sum, in order.
            adds: the summands of these rows, of shape (rows, sums).

        Returns:
            An array of shape (moments, sums).
        """
        found = sums_before(self.moments, self._starts[self.moments], rows, adds)
        if name in self.before:
            found[self._starts[self.moments] == 0] += self.before[name]
        if len(self.author):
            last = self._starts[-1]
            total = adds[np.searchsorted(rows, last) :].sum(axis=0, dtype=np.int64)
            self.after[name] = total + self.before[name] if last == 0 and name in self.before else total
        return found

    @cached_property
    def _known(self) -> Longs:
        rows = np.flatnonzero(self.kind < EventKind.MOMENT)
        adds = np.zeros((len(rows), len(EventKind) - 1), dtype=np.int64)
        adds[np.arange(len(rows)), self.kind[rows] - 1] = self.count[rows]
        return self.totals("known", rows, adds)

    @cached_property
    def _starts(self) -> Longs:
        """Index of the first row of the author, for each row."""
        return starts_of_runs(self.author)


def sums_before(places: Longs, starts: Longs, rows: Longs, adds: Longs) -> Longs:
    """Sums of rows between a start and an end.

    Args:
        places: indices of the ends, exclusive.
        starts: index of the start for each end.
        rows: indices of the rows to sum, in order.
        adds: the summands of these rows, of shape (rows, sums).

    Returns:
        An array of shape (places, sums).
    """
    running = np.concatenate([np.zeros((1, adds.shape[1]), dtype=np.int64), np.cumsum(adds, axis=0)])
    summed: Longs = running[np.searchsorted(rows, places)] - running[np.searchsorted(rows, starts)]
    return summed


def starts_of_runs(*keys: Longs) -> Longs:
    """For each row, the index at which its run of equal keys starts."""
    rows = np.arange(len(keys[0]))
    changes = np.zeros(len(rows), dtype=np.bool_)
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(changes, rows, 0))


# Aliases: identifies one person across files that use different account ids.
#
# In the SemEval-2016 files, some users with small ids have a different id in the test set, and their old id belongs
# to another user. Names do not change. A name therefore takes precedence over an id; ids identify only users without
# a known name.

SHARED_ACCOUNTS = {"qatarliving.com": ("U2",)}
"""Shared accounts by site, such as Qatar Living's anonymous user."""

SHARED_NAMES = {"qatarliving.com": ("anonymous",)}
"""Names of shared accounts by site, for files with other account ids."""


def person(site: str, account: str, name: str | None = None) -> Column:
    """The account's id if it belongs to one person; null if it is shared or unknown.

    Args:
        site: name of the column with the site.
        account: name of the column with the account's id.
        name: name of the column with the account's name, if there is one.
    """
    shared = [(F.col(site) == where) & F.col(account).isin(*ids) for where, ids in SHARED_ACCOUNTS.items()]
    if name:
        shared += [(F.col(site) == where) & F.col(name).isin(*names) for where, names in SHARED_NAMES.items()]
    return F.when(reduce(or_, shared), F.lit(None)).otherwise(F.col(account))


def same_person(one: str, other: str) -> Column:
    """Whether two columns of ``person`` are equal; false if either is null."""
    return F.coalesce(F.col(one) == F.col(other), F.lit(False))


def known_names(training: TrainingData) -> DataFrame:
    """The names of the accounts, as ``names_by_account`` gives them, persisted."""
    return persist(names_by_account(training.inputs))


def names_by_account(inputs: FeatureInputs) -> DataFrame:
    """The name of each account: ``site``, ``account``, ``known_name``; if it has several, the alphabetically first."""
    written = [
        table.where(F.col("split").isin(*LEARNED_FROM) & F.col("user_name").isNotNull()).select(
            "site", person("site", "user_id", "user_name").alias("account"), "user_name"
        )
        for table in (inputs.posts, inputs.comments)
    ]
    named = written[0].unionByName(written[1]).where(F.col("account").isNotNull())
    return named.groupBy("site", "account").agg(F.min(F.lower("user_name")).alias("known_name"))


def with_person(rows: DataFrame, names: DataFrame) -> DataFrame:
    """Add the column ``person`` to rows of the training part.

    Args:
        rows: rows with ``site``, ``user_id`` and ``user_name``, of files that agree on ids.
        names: which name an id has, as ``names_by_account`` gives it.

    Returns:
        The rows whose author is one known person. ``person`` is the alias by name if any row of that id has a name,
        else the alias by id.
    """
    known = rows.withColumn("account", person("site", "user_id", "user_name")).where(F.col("account").isNotNull())
    named = known.join(names, on=["site", "account"], how="left")
    return named.withColumn("person", F.coalesce(by_name("user_name"), by_name("known_name"), by_id("account"))).drop(
        "account", "known_name"
    )


def with_aliases(learned: DataFrame, names: DataFrame) -> DataFrame:
    """Add a row for every alias of a person, so that facts can be looked up by name or by id.

    Args:
        learned: rows with ``site`` and ``person``, one per person.
        names: which name an id has, as ``names_by_account`` gives it.

    Returns:
        The rows with ``alias``, one for the name and one for the id of a person; ``named`` is true if the person's
        name is known.
    """
    ids = names.select(
        "site", by_name("known_name").alias("person"), by_id("account").alias("alias"), F.lit(True).alias("named")
    )
    of_person = learned.select("*", F.col("person").alias("alias"), F.col("person").startswith("name:").alias("named"))
    of_account = learned.join(ids, on=["site", "person"], how="inner")
    return of_person.unionByName(of_account)


def aliases_of(written: Iterable[DataFrame], users: Sequence[str]) -> list[str]:
    """All aliases of some users of a site, few enough to hold.

    Args:
        written: what was written on the site: ``user_id`` and ``user_name``.
        users: ids of the users.
    """
    aliases = [
        rows.where(F.col("user_id").isin(*users)).select(F.explode(F.array(by_id("user_id"), by_name("user_name"))))
        for rows in written
    ]
    found = reduce(DataFrame.union, aliases).toDF("alias").where("alias IS NOT NULL")
    return [row["alias"] for row in found.distinct().collect()]


def by_name(name: str) -> Column:
    """The alias of a person by name; null without a name."""
    return F.concat(F.lit("name:"), F.lower(name))


def by_id(account: str) -> Column:
    """The alias of a person by account id; null without an id."""
    return F.concat(F.lit("id:"), F.col(account))


# Joins facts about authors, which feature groups have learned, to the examples of the authors' candidates.
#
# Facts about all authors grow with the community, so they stay in Spark. A batch gets one struct per example and
# group.

_ALIAS = ("site", "alias")


@dataclass(frozen=True)
class AuthorFacts:
    """The facts of a group about authors.

    Attributes:
        of_people: one row per alias: ``site``, ``alias``, ``person``, ``named`` (whether the person's name is known),
            and the facts.
        in_threads: the share of the facts from one thread and its copies, for groups that exclude an example's own
            thread: ``site``, ``person``, ``first_copy`` (the thread that the others repeat), and the columns.
    """

    of_people: DataFrame
    in_threads: DataFrame | None = None


def with_facts(examples: DataFrame, facts: Mapping[str, AuthorFacts], inputs: FeatureInputs) -> DataFrame:
    """Add the groups' facts about the candidates' authors.

    An author is found by name, else by id where the candidate has no name or no name was known for that id.

    Args:
        examples: with ``account``, the candidate's author; null unless that is one known person.
        facts: by group.
        inputs: the tables with the authors of comments and the repeats of threads.

    Returns:
        The examples with ``facts``, a struct with one struct per group, null without facts. If the group has
        ``in_threads``, its struct contains them in the field ``here``.
    """
    if not facts:
        return examples
    names = inputs.comments.select("site", F.col("comment_id").alias("candidate_id"), "user_name")
    joined = examples.join(names, on=["site", "candidate_id"], how="left").withColumns(
        {"by_name": by_name("user_name"), "by_id": by_id("account")}
    )
    of_people = _of_people(facts)
    for alias in ("by_name", "by_id"):
        found = of_people.select("site", F.col("alias").alias(alias), F.struct(*facts).alias(f"found_{alias}"))
        joined = joined.join(found, on=["site", alias], how="left")
    known = joined.select(*examples.columns, *[_chosen(name).alias(name) for name in facts])
    for name, each in facts.items():
        if each.in_threads is not None:
            known = _with_thread(known, name, each.in_threads, inputs)
    return known.select(*examples.columns, F.struct(*facts).alias("facts"))


def _of_people(facts: Mapping[str, AuthorFacts]) -> DataFrame:
    """The facts of all groups, joined: one row per alias."""
    by_group = [
        each.of_people.select(*_ALIAS, F.struct(*_others(each.of_people, *_ALIAS)).alias(name))
        for name, each in facts.items()
    ]
    return reduce(lambda one, other: one.join(other, on=list(_ALIAS), how="full"), by_group)


def _chosen(group: str) -> Column:
    """The facts found by name, else those found by id if the id has no other owner."""
    id_is_free = F.col("user_name").isNull() | ~F.col(f"found_by_id.{group}.named")
    return F.coalesce(F.col(f"found_by_name.{group}"), F.when(id_is_free, F.col(f"found_by_id.{group}")))


def _with_thread(known: DataFrame, group: str, in_threads: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Add ``here`` to a group's facts: their share from the candidate's thread and its copies."""
    first_copies = inputs.posts.where("post_type = 'question'").selectExpr(
        "site", "post_id AS thread_id", "coalesce(same_as, post_id) AS first_copy"
    )
    keys = ("site", "person", "first_copy")
    here = in_threads.select(*keys, F.struct(*_others(in_threads, *keys)).alias("here"))
    with_keys = known.withColumn("person", F.col(f"{group}.person")).join(
        first_copies, on=["site", "thread_id"], how="left"
    )
    found = with_keys.join(here, on=list(keys), how="left")
    return found.withColumn(group, F.col(group).withField("here", F.col("here"))).drop("person", "first_copy", "here")


def _others(rows: DataFrame, *keys: str) -> list[str]:
    return [name for name in rows.columns if name not in keys]
