"""The declared columns of tables, from those that attributes fill."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from cqa_spark.corpora.stackexchange.block_reader import columns_of
from cqa_spark.corpora.stackexchange.tables import BY_FILE, DUMP_TABLES, DumpTable, table_rows
from cqa_spark.lake.table import Table

POSTS, USERS = BY_FILE["posts"], BY_FILE["users"]


def rows_of(dump: DumpTable, *rows: dict[str, object], unknown: Mapping[str, str] | None = None) -> pa.RecordBatch:
    return table_rows(dump, columns_of(dump, rows, [unknown or {}] * len(rows)), "beer.example.org", "in/Posts.xml")


@pytest.mark.parametrize("dump", DUMP_TABLES, ids=lambda dump: dump.file)
def test_every_declared_column_is_there(dump: DumpTable) -> None:
    table: Table = dump.table
    (row,) = rows_of(dump, {dump.attributes["Id"]: "7"}).to_pylist()
    assert list(row) == table.schema.names
    filled = {name: value for name, value in row.items() if value is not None}
    posts = {"post_type": "other", "thread_id": "7"} if dump is POSTS else {}
    split = {"split": "unannotated"} if "split" in row else {}
    origin = {"site": "beer.example.org", "source_file": "in/Posts.xml"}
    assert filled == {dump.attributes["Id"]: "7", **origin, **posts, **split}


def test_the_thread_of_a_post_is_its_question() -> None:
    rows = [
        {"post_id": "1", "post_type_id": 1},
        {"post_id": "2", "post_type_id": 2, "parent_id": "1"},
        {"post_id": "3", "post_type_id": 2},
        {"post_id": "4", "post_type_id": 1, "parent_id": "9"},
    ]
    assert rows_of(POSTS, *rows)["thread_id"].to_pylist() == ["1", "1", "3", "4"]


OWNED = [
    ("1", 1, "7"), ("2", 2, "-1"),  # the community user owns wiki posts of the site
    ("3", 4, "-1"), ("4", 99, "7"), ("5", 11, "7"), ("6", 17, "7"), ("999999999", 1, "-1"), ("1000000001", 1, "-1"),
    ("1000000010", 2, "-1"), ("1000000011", 2, "7"), ("1000000012", 2, None),
]  # fmt: skip


def test_posts_that_the_archive_invents_have_a_type_of_their_own() -> None:
    rows = [{"post_id": post, "post_type_id": kind, "user_id": user} for post, kind, user in OWNED]
    types = rows_of(POSTS, *rows)["post_type"].to_pylist()
    assert types == [
        "question", "answer", "tag_wiki_excerpt", "other", "other", "collective_collection", "question", "invented",
        "invented", "answer", "answer",
    ]  # fmt: skip
    assert "invented" not in rows_of(replace(POSTS, invented_from=None), *rows)["post_type"].to_pylist()


def test_deleted_posts_have_a_type_of_their_own() -> None:
    deleted = {"post_id": "2", "post_type_id": 2, "parent_id": "1", "deleted_at": datetime(2020, 2, 1, tzinfo=UTC)}
    (row,) = rows_of(POSTS, deleted).to_pylist()
    assert (row["post_type"], row["thread_id"], row["deleted_at"]) == ("deleted", "1", deleted["deleted_at"])


def test_of_withheld_columns_only_the_names_of_unknown_attributes_are_stored() -> None:
    withheld = replace(USERS, withheld=frozenset({"name", "unknown_attributes"}))
    row = {"user_id": "7", "name": "Ada", "reputation": 3}
    batch = rows_of(withheld, row, unknown={"Phone": "555", "Pet": "cat"})
    (stored,) = batch.to_pylist()
    assert (stored["user_id"], stored["name"], stored["reputation"]) == ("7", None, 3)
    assert stored["unknown_attributes"] == [("Phone", None), ("Pet", None)]
    (without,) = rows_of(withheld, row).to_pylist()
    assert without["unknown_attributes"] is None
