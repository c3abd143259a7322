"""Descriptions of databases."""

from pathlib import Path

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.settings.databases import Database, read_database


def described(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "forum.yaml"
    path.write_text(text)
    return path


def test_a_description_takes_variables_and_its_password_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORUM_HOST", "db.test")
    monkeypatch.setenv("FORUM_PASSWORD", "secret")
    text = "url: jdbc:postgresql://${FORUM_HOST}/forum\npassword_variable: FORUM_PASSWORD\ntables: {}\n"
    database = read_database(str(described(tmp_path, text)))
    assert (database.url, database.kind) == ("jdbc:postgresql://db.test/forum", "postgresql")
    assert database.password() == "secret"
    assert "secret" not in repr(database)


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://me:secret@db.test/forum",
        "jdbc:postgresql://db.test/forum?user=me&password=secret",
        "jdbc:mysql://db.test/forum?useSSL=true;password=secret",
        "postgresql://db.test/forum",
        "jdbc:oracle:thin:@db.test",
    ],
)
def test_addresses_with_credentials_and_of_other_databases_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_database(str(described(tmp_path, f"url: {url}\n")))
    assert "secret" not in str(refused.value)
    assert "url" in refused.value.problem


def test_all_mistakes_are_listed(tmp_path: Path) -> None:
    text = (
        "url: jdbc:sqlite:/forum.db\npartitions: 0\ntables:\n  posts: {query: SELECT 1, key_range: a b}\n  logs: {}\n"
    )
    with pytest.raises(ConfigError) as refused:
        read_database(str(described(tmp_path, text)))
    for place in ("partitions", "tables.posts.key_range", "tables.logs"):
        assert place in refused.value.problem


def test_a_password_file_that_is_absent_is_named() -> None:
    with pytest.raises(ConfigError, match="/absent"):
        Database(url="jdbc:sqlite:/forum.db", password_file="/absent").password()
