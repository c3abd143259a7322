"""The database of a forum → community tables, by JDBC: a Postgres server with tables of Discourse, and SQLite files."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import PASSWORD, Postgres, postgres_server
from pyspark.sql import SparkSession
from requirements import lacking

from cqa_spark.api.lake import open_lake
from cqa_spark.cli import main
from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.settings.conf_files import drivers_folder, project_root
from cqa_spark.settings.databases import Database, read_database
from cqa_spark.spark import jdbc
from cqa_spark.spark.jars import jar_name
from cqa_spark.spark.jdbc import read_query

pytestmark = [pytest.mark.more, pytest.mark.slow]

DESCRIPTION = "conf/databases/discourse.yaml"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres_server(topics=6) as server:
        yield server


@pytest.fixture
def forum(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> Postgres:
    server.describe(monkeypatch)
    return server


def ingest(lake: Path, *more: str) -> int:
    return main(["ingest", "tables", "--database", DESCRIPTION, "--lake", str(lake), *more])


def rows_of(lake: Path, table: str, *columns: str) -> list[tuple[object, ...]]:
    rows = open_lake(str(lake)).run().table(table).to_arrow().select(list(columns)).to_pylist()
    return sorted(tuple(row.values()) for row in rows)


def contents(lake: Path) -> dict[str, str]:
    """The hash of the rows of each table."""
    entries = open_lake(str(lake)).run().table("fingerprints").to_arrow().to_pylist()
    return {entry["table_name"]: entry["content"] for entry in entries}


def test_the_second_run_reads_what_changed(
    forum: Postgres, spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    forum.execute(
        "INSERT INTO topics VALUES (70, 'Secret', '2024-01-02', '2024-01-02', NULL, 1, 2, 'regular', true, 0, 1),"
        "(71, 'Message', '2024-01-02', '2024-01-02', NULL, 1, 1, 'private_message', true, 0, 1);"
        "INSERT INTO posts SELECT id * 10 + 1, 1, id, 1, 'x', 'x', created_at, created_at, created_at, NULL, 1, 0, "
        "false FROM topics WHERE id > 69"
    )
    assert ingest(lake) == 0
    posts = rows_of(
        lake, "posts", "post_id", "post_type", "thread_id", "user_id", "accepted_answer_id", "tags", "score"
    )
    assert posts[:4] == [
        ("11", "question", "11", "3", "13", ["ale"], 2),
        ("12", "answer", "11", "4", None, None, 0),
        ("13", "answer", "11", "5", None, None, 1),
        ("14", "answer", "11", "6", None, None, 2),
    ]
    assert len(posts) == 24, "no post of a category with restricted access, and no message"
    [(created, subject, body)] = [
        row[1:] for row in rows_of(lake, "posts", "post_id", "created_at", "subject", "body") if row[0] == "11"
    ]
    assert (f"{created:%Y-%m-%d %H:%M}", subject) == ("2024-01-02 00:00", "How warm should the yeast of batch 1 be?")
    assert body == "<p>My yeast of batch 1 sleeps. How warm should it be?</p>"
    assert rows_of(lake, "votes", "vote_id", "post_id", "vote_type_id")[:2] == [("-1", "13", 1), ("-2", "24", 1)]
    assert rows_of(lake, "users", "user_id", "reputation")[:2] == [("1", 1), ("2", 2)]

    first = contents(lake)
    assert ingest(lake) == 0
    assert contents(lake) == first, "the rows that were read and those that were kept are those of the first run"

    forum.execute(
        "UPDATE posts SET cooked = 'unseen' WHERE id = 12;"  # without a newer time of the change
        "UPDATE posts SET cooked = 'seen', updated_at = '2024-03-01' WHERE id = 13;"
        "UPDATE posts SET deleted_at = '2024-03-01' WHERE id = 14;"
        "UPDATE topics SET visible = false WHERE id = 2;"
        "INSERT INTO posts SELECT 15, 1, 1, 5, 'x', 'new', day, day, day, NULL, 1, 0, false FROM "
        "(SELECT '2024-03-02'::timestamp AS day) days"
    )
    capfd.readouterr()
    assert ingest(lake) == 0
    # Besides 13 and 15, the newest row of the run before, because transactions may have been open at its time.
    assert "posts: 3 of 20 rows were read" in capfd.readouterr().err
    bodies = dict(rows_of(lake, "posts", "post_id", "body"))
    assert (bodies["12"][:10], bodies["13"], bodies["15"]) == ("<p>Keep it", "seen", "new")
    assert not bodies.keys() & {"14", "21", "22", "23", "24"}
    assert len(bodies) == 20

    forum.execute("UPDATE topics SET visible = true WHERE id = 2")  # what comes back has old times
    capfd.readouterr()
    assert ingest(lake) == 0
    assert "posts: 5 of 24 rows were read" in capfd.readouterr().err
    assert len(rows_of(lake, "posts", "post_id")) == 24
    assert ingest(lake, "--full") == 0
    assert dict(rows_of(lake, "posts", "post_id", "body"))["12"] == "unseen"


def test_the_password_is_nowhere(
    forum: Postgres,
    spark: SparkSession,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lake, database = tmp_path / "lake", read_database(DESCRIPTION)
    assert ingest(lake, "--debug") == 0
    said = "".join(capfd.readouterr())
    frame = read_query(spark, database, "SELECT id FROM users", ranges=("id", 1, 9))
    assert (frame.count(), frame.rdd.getNumPartitions()) == (9, 4)
    plan = frame._jdf.queryExecution().toString()  # type: ignore[operator]
    written = b"".join(path.read_bytes() for path in lake.rglob("*") if path.is_file())
    for text in (said.encode(), plan.encode(), repr(database).encode(), written):
        assert PASSWORD.encode() not in text
    monkeypatch.setenv("CQA_DATABASE_PASSWORD", "wrong-8d1e")
    assert ingest(lake, "--debug") == EnvironmentProblem.exit_code
    said = "".join(capfd.readouterr())
    assert forum.url in said
    assert "wrong-8d1e" not in said
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    assert database.model_copy(update={"password_file": str(secret)}).password() == PASSWORD


def test_a_refused_query_is_an_error_of_the_input(forum: Postgres, spark: SparkSession) -> None:
    with pytest.raises(InputError, match='column "likes" does not exist'):
        read_query(spark, read_database(DESCRIPTION), "SELECT likes FROM users")


def test_without_its_driver_nothing_is_written(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = jdbc.Driver("org.example.Absent", "org.example:absent:1.0", "")
    monkeypatch.setitem(jdbc.DRIVERS, "postgresql", absent)
    assert ingest(tmp_path / "lake") == EnvironmentProblem.exit_code
    assert "org.example:absent:1.0" in capsys.readouterr().err
    assert not (tmp_path / "lake").exists()


def test_a_file_of_sqlite_is_read(spark: SparkSession, tmp_path: Path) -> None:
    if not (drivers_folder() / jar_name(jdbc.DRIVERS["sqlite"].artifact)).exists():
        lacking("sqlite", "needs the JDBC driver: cqa setup --driver sqlite")
    file, description, lake = tmp_path / "forum.db", tmp_path / "forum.yaml", tmp_path / "lake"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE entries (id INTEGER PRIMARY KEY, parent INTEGER, html TEXT, changed TEXT)")
        connection.executemany(
            "INSERT INTO entries VALUES (?, ?, ?, ?)",
            [(1, None, "When?", "2024-01-01"), (2, 1, "Now", "2024-01-02"), (3, 1, "Later", "2024-01-03")],
        )
    description.write_text(
        f"url: jdbc:sqlite:{file}\nsite: forum.test\ntables:\n  posts:\n    key_range: post_id\n"
        "    watermark: changed\n"
        "    query: SELECT id AS post_id, parent AS thread_id, html AS body, changed FROM entries\n"
    )
    command = ["ingest", "tables", "--database", str(description), "--lake", str(lake)]
    assert main(command) == 0
    assert rows_of(lake, "posts", "post_id", "post_type", "thread_id", "body") == [
        ("1", "question", "1", "When?"), ("2", "answer", "1", "Now"), ("3", "answer", "1", "Later"),
    ]  # fmt: skip
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE entries SET html = 'unseen' WHERE id = 2")
        connection.execute("UPDATE entries SET html = 'seen', changed = '2024-01-04' WHERE id = 3")
        connection.execute("DELETE FROM entries WHERE id = 1")
        connection.execute("INSERT INTO entries VALUES (4, NULL, 'Where?', '2023-01-01')")
    assert main(command) == 0
    assert rows_of(lake, "posts", "post_id", "body") == [("2", "Now"), ("3", "seen"), ("4", "Where?")]


def test_the_example_is_a_description() -> None:
    described = Database.model_validate(read_database(str(project_root() / DESCRIPTION)).model_dump())
    assert {name: (query.key_range, query.watermark) for name, query in described.tables.items()} == {
        "posts": ("post_id", "changed_at"), "votes": ("vote_id", "changed_at"), "users": ("user_id", None),
    }  # fmt: skip
