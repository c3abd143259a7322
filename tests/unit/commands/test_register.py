"""The SQL that registers a lake's tables: parsed in the dialect of its program, and run where the program is here."""

from pathlib import Path

import pytest
import sqlglot
from attacked_lakes import (
    Clock,
    duck_db_with_delta,
    published,
    two_tables,  # noqa: F401
)
from refusals import refusal
from small_runs import lake_at
from sqlglot import expressions

from cqa_spark.commands.register import STATEMENTS, statements
from cqa_spark.lake.lake import Lake

pytestmark = pytest.mark.usefixtures("two_tables")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = lake_at(tmp_path / "lake")
    published(lake, Clock(), ("r1", {"alpha": {"x": 1}}))
    return lake


@pytest.mark.parametrize("program", STATEMENTS)
def test_every_statement_names_its_table_and_location(lake: Lake, program: str) -> None:
    schema, *tables = statements(lake, program, "cqa")
    assert schema == "CREATE SCHEMA IF NOT EXISTS cqa;"
    assert [("alpha" in table, f"'{lake.path('tables', 'alpha')}" in table) for table in tables] == [(True, True)]
    (parsed,) = sqlglot.parse(tables[0], dialect=program)
    is_procedure = isinstance(parsed, expressions.Command) and parsed.this == "CALL"
    assert is_procedure if program == "trino" else isinstance(parsed, expressions.Create)


def test_duckdb_reads_the_registered_tables_and_their_next_publication(lake: Lake) -> None:
    database = duck_db_with_delta()
    for statement in statements(lake, "duckdb", "cqa"):
        database.execute(statement)
    assert database.sql("FROM cqa.alpha").fetchall() == [("x", 1)]
    published(lake, Clock(), ("r2", {"alpha": {"x": 2}}))
    assert database.sql("FROM cqa.alpha").fetchall() == [("x", 2)]


def test_a_lake_without_publications_and_a_path_with_a_quote_are_refused(tmp_path: Path) -> None:
    new, quoted = lake_at(tmp_path / "new"), lake_at(tmp_path / "it's")
    assert refusal(statements, new, "duckdb", "cqa") == f"{new.root} has no published tables"
    published(quoted, Clock(), ("r1", {"alpha": {"x": 1}}))
    assert refusal(statements, quoted, "duckdb", "cqa") == f"the path {quoted.root} has a quote"
