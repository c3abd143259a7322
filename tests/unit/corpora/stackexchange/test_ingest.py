"""Which rows point to nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import pytest
from small_runs import lake_at, new_files, opened

from cqa_spark.corpora.stackexchange import ingest as module
from cqa_spark.corpora.stackexchange.ingest import orphans
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table

Rows = Mapping[str, list[Mapping[str, object]]]
"""Rows by site."""


class Tasks:
    """Stands for a session with a core, whose tasks run one after the other."""

    defaultParallelism = 1

    def __init__(self, tasks: Sequence[Sequence[Any]] = ()) -> None:
        self._tasks = tasks
        self.sparkContext = self

    def parallelize(self, elements: Sequence[object], tasks: int) -> "Tasks":
        size = ceil(len(elements) / tasks)
        return Tasks([elements[start : start + size] for start in range(0, len(elements), size)])

    def mapPartitions(self, function: Callable[[Iterable[object]], Iterable[object]]) -> "Tasks":
        return Tasks([list(function(iter(elements))) for elements in self._tasks])

    def collect(self) -> list[object]:
        return [element for elements in self._tasks for element in elements]


def counted(folder: Path, tables: Mapping[Table, Rows]) -> list[tuple[object, ...]]:
    lake = lake_at(folder)
    with opened(lake, "r") as run:
        stored = {table.name: new_files(run, table, rows) for table, rows in tables.items()}
    return [tuple(entry.values()) for entry in orphans(Lake(Tasks, lake.root), stored)]  # type: ignore[arg-type]


def test_rows_that_point_to_nothing_are_counted_by_site_and_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Post 1 of site b is not there for a; an empty reference points nowhere; what is pointed to twice counts twice."""
    monkeypatch.setattr(module, "_ROWS", 2)
    posts = {
        "a": [
            {"post_id": "2", "thread_id": "2", "accepted_answer_id": "3", "user_id": "7"},
            {"post_id": "3", "thread_id": "2"},
            {"post_id": "4", "thread_id": "1", "user_id": "-1"},
        ],
        "b": [{"post_id": "1", "thread_id": "1", "user_id": "8"}],
        "c": [{"post_id": "1", "thread_id": "1", "user_id": "8"}],
    }
    votes = {"a": [{"post_id": "1"}, {"post_id": "1"}, {"post_id": "2"}], "b": [{"post_id": f"{2**63 - 1}"}]}
    users = {"a": [{"user_id": "7"}], "b": [{"user_id": "8"}]}
    assert counted(tmp_path, {POSTS: posts, VOTES: votes, USERS: users}) == [
        ("a", "posts", "thread_id", "posts", 1),
        ("a", "posts", "user_id", "users", 1),
        ("a", "votes", "post_id", "posts", 2),
        ("b", "votes", "post_id", "posts", 1),
        ("c", "posts", "user_id", "users", 1),
    ]


def test_a_table_that_was_not_read_misses_nothing(tmp_path: Path) -> None:
    assert counted(tmp_path, {POSTS: {"a": [{"post_id": "2", "thread_id": "2", "user_id": "7"}]}}) == []
    assert counted(tmp_path, {VOTES: {"a": [{"post_id": "1"}]}}) == []


COLUMNS = {
    POSTS: ("post_id", "thread_id", "user_id"),
    COMMENTS: ("comment_id", "post_id", "user_id"),
    USERS: ("user_id",),
}
TARGETS = {"thread_id": POSTS, "post_id": POSTS, "user_id": USERS}


def test_counts_of_many_sites_are_those_of_looking_up_each_id(tmp_path: Path) -> None:
    rng = Random(5)
    tables: dict[Table, Rows] = {
        table: {
            f"s{site}": [
                {key: row_id} | {name: rng.choice([None, *"12345"]) for name in references}
                for row_id in "12345678"
                if rng.random() < 0.8
            ]
            for site in range(40)
        }
        for table, (key, *references) in COLUMNS.items()
    }
    there = {
        (table, site, row[COLUMNS[table][0]])
        for table, by_site in tables.items()
        for site in by_site
        for row in by_site[site]
    }
    looked_up = Counter(
        (site, table.name, column, TARGETS[column].name)
        for table, by_site in tables.items()
        for site, rows in by_site.items()
        for row in rows
        for column in COLUMNS[table][1:]
        if row[column] is not None and (TARGETS[column], site, row[column]) not in there
    )
    counts = counted(tmp_path, tables)
    assert {tuple(key): count for *key, count in counts} == looked_up
    assert len(counts) > 40
