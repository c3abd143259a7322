"""A Postgres server for tests, on loopback, with passwords; and a database with tables like those of Discourse."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from requirements import lacking
from standalone import free_port

from cqa_spark.settings.conf_files import drivers_folder
from cqa_spark.spark.jars import jar_name
from cqa_spark.spark.jdbc import DRIVERS

PASSWORD = "only-for-tests-7f3a"
_USER = "forum"

DISCOURSE = """
CREATE TABLE users (id int PRIMARY KEY, username text, created_at timestamp NOT NULL);
CREATE TABLE user_stats (user_id int PRIMARY KEY, likes_given int, likes_received int);
CREATE TABLE categories (id int PRIMARY KEY, slug text, read_restricted bool NOT NULL DEFAULT false);
CREATE TABLE topics (
    id int PRIMARY KEY, title text NOT NULL, created_at timestamp NOT NULL, updated_at timestamp NOT NULL,
    deleted_at timestamp, user_id int, category_id int, archetype text NOT NULL DEFAULT 'regular',
    visible bool NOT NULL DEFAULT true, views int NOT NULL DEFAULT 0, posts_count int NOT NULL DEFAULT 0
);
CREATE TABLE posts (
    id int PRIMARY KEY, user_id int, topic_id int NOT NULL, post_number int NOT NULL, raw text, cooked text,
    created_at timestamp NOT NULL, updated_at timestamp NOT NULL, last_version_at timestamp NOT NULL,
    deleted_at timestamp, post_type int NOT NULL DEFAULT 1, like_count int NOT NULL DEFAULT 0,
    hidden bool NOT NULL DEFAULT false
);
CREATE TABLE tags (id int PRIMARY KEY, name text);
CREATE TABLE topic_tags (topic_id int, tag_id int);
CREATE TABLE post_actions (
    id int PRIMARY KEY, post_id int, user_id int, post_action_type_id int, deleted_at timestamp,
    created_at timestamp NOT NULL, updated_at timestamp NOT NULL
);
CREATE TABLE discourse_solved_solved_topics (
    id int PRIMARY KEY, topic_id int NOT NULL, answer_post_id int NOT NULL, accepter_user_id int NOT NULL,
    created_at timestamp NOT NULL, updated_at timestamp NOT NULL
);
"""
"""The columns of Discourse that conf/databases/discourse.yaml reads."""

TOPICS = """
INSERT INTO users SELECT n, 'person' || n, '2023-01-01'::timestamp + n * interval '1 day' FROM generate_series(1, 9) n;
INSERT INTO user_stats SELECT n, n % 3, n FROM generate_series(1, 9) n;
INSERT INTO categories VALUES (1, 'brewing', false), (2, 'staff', true);
INSERT INTO tags VALUES (1, 'ale'), (2, 'yeast');
INSERT INTO topics
    SELECT n, 'How warm should the yeast of batch ' || n || ' be?', day, day, NULL, n % 9 + 1, 1, 'regular', true, n, 4
    FROM (SELECT n, '2024-01-01'::timestamp + n * interval '1 day' AS day FROM generate_series(1, {topics}) n) days;
INSERT INTO topic_tags SELECT n, 1 FROM generate_series(1, {topics}) n;
INSERT INTO topic_tags SELECT n, 2 FROM generate_series(2, {topics}, 2) n;
INSERT INTO posts
    SELECT t.id * 10 + n, (t.id + n) % 9 + 1, t.id, n,
           CASE n WHEN 1 THEN 'How warm?' ELSE 'Degrees' END,
           '<p>' || CASE n WHEN 1 THEN 'My yeast of batch ' || t.id || ' sleeps. How warm should it be?'
                ELSE 'Keep it at ' || (14 + n + t.id % 5) || ' degrees' || repeat(', and stir it', (n + t.id) % 3) END
               || '</p>',
           t.created_at + (n - 1) * interval '3 hours', t.created_at + (n - 1) * interval '3 hours',
           t.created_at + (n - 1) * interval '3 hours', NULL, 1, (n + t.id) % 3, false
    FROM topics t, generate_series(1, 4) n;
INSERT INTO post_actions
    SELECT p.id * 10 + n, p.id, n, 2, NULL, p.created_at + interval '1 hour', p.created_at + interval '1 hour'
    FROM posts p, generate_series(1, 3) n WHERE n <= p.like_count;
INSERT INTO discourse_solved_solved_topics
    SELECT t.id, t.id, t.id * 10 + 2 + t.id % 3, 1, t.created_at + interval '2 days', t.created_at + interval '2 days'
    FROM topics t WHERE t.id % 4 > 0;
"""
"""Topics with a question and three answers; three of four topics have a solution."""


@dataclass(frozen=True)
class Postgres:
    """A running server with one database, ``discourse``.

    Attributes:
        port: on loopback.
    """

    port: int

    @property
    def url(self) -> str:
        """The JDBC address."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/discourse"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that conf/databases/discourse.yaml reads."""
        return {
            "CQA_DATABASE_URL": self.url,
            "CQA_DATABASE_USER": _USER,
            "CQA_DATABASE_PASSWORD": PASSWORD,
            "CQA_DATABASE_SITE": "forum.example.org",
        }

    def describe(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Set what conf/databases/discourse.yaml reads."""
        for name, value in self.variables.items():
            monkeypatch.setenv(name, value)

    def connection(self) -> psycopg.Connection[Any]:
        """A connection of the forum's user, with a transaction."""
        return psycopg.connect(f"postgresql://{_USER}:{PASSWORD}@127.0.0.1:{self.port}/discourse")

    def execute(self, sql: str) -> list[tuple[object, ...]]:
        """Run statements, and return the rows of the last one."""
        with self.connection() as connection:
            connection.autocommit = True
            cursor = connection.execute(sql)
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description else []


@contextmanager
def postgres_server(topics: int) -> Iterator[Postgres]:
    """A server with some topics; the test is skipped where there is no Postgres or no JDBC driver.

    Args:
        topics: how many topics the forum has.
    """
    programs = {name: shutil.which(name) for name in ("initdb", "pg_ctl", "postgres")}
    if not all(programs.values()):
        lacking("postgres", "needs Postgres' initdb, pg_ctl and postgres on the PATH (Debian: postgresql)")
    if not (drivers_folder() / jar_name(DRIVERS["postgresql"].artifact)).exists():
        lacking("postgres", "needs the JDBC driver: cqa setup --driver postgresql")
    folder, port = Path(tempfile.mkdtemp(prefix="cqa-postgres-", dir="/tmp")), free_port()
    as_user: list[str] = []
    if os.geteuid() == 0:  # Postgres refuses to run as root
        if shutil.which("setpriv") is None:
            lacking(
                "postgres",
                "Postgres does not run as root, and setpriv (util-linux), which would change the user, is absent",
            )
        shutil.chown(folder, "nobody")
        as_user = ["setpriv", "--reuid", "nobody", "--clear-groups"]
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    data, log = str(folder / "data"), str(folder / "log")

    def run(*command: str) -> None:
        subprocess.run(
            [*as_user, *command], check=True, capture_output=True, cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"}
        )

    run(
        "initdb", "--pgdata", data, "--username", _USER, "--auth", "scram-sha-256", "--pwfile", str(secret), "--no-sync"
    )
    options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off"
    run("pg_ctl", "start", "--pgdata", data, "--log", log, "--wait", "--options", options)
    try:
        with psycopg.connect(
            f"postgresql://{_USER}:{PASSWORD}@127.0.0.1:{port}/postgres", autocommit=True
        ) as connection:
            connection.execute("CREATE DATABASE discourse")
        server = Postgres(port)
        server.execute(DISCOURSE + TOPICS.replace("{topics}", str(topics)))
        yield server
    finally:
        run("pg_ctl", "stop", "--pgdata", data, "--mode", "immediate", "--wait")
        shutil.rmtree(folder, ignore_errors=True)
