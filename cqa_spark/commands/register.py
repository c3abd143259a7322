"""``cqa lake register``: the statements that make a lake's published tables external tables of a catalog."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.commands.runs import RunLogSettings
from cqa_spark.errors import InputError
from cqa_spark.settings.values import NotHashed, Shown, is_remote

if TYPE_CHECKING:
    from cqa_spark.lake.lake import Lake


class RegisterTablesSettings(RunLogSettings):
    """Print the SQL that registers the published tables in a catalog, as external tables that follow publications."""

    examples = (
        "cqa lake register --lake s3a://rankings/lake --catalog athena",
        "cqa lake register --lake build/lake --catalog duckdb | duckdb rankings.duckdb",
    )
    needs = ("catalog",)

    catalog: Annotated[Literal["athena", "databricks", "duckdb", "trino"] | None, NotHashed()] = Field(
        default=None,
        description="the program that runs the SQL: athena registers in AWS Glue, databricks in Unity Catalog",
    )
    catalog_schema: Annotated[str, NotHashed(), Shown("NAME")] = Field(
        default="cqa", pattern=r"^\w+$", description="schema, or database, that gets the tables; created if absent"
    )


STATEMENTS: Mapping[str, str] = {
    "athena": (
        "CREATE EXTERNAL TABLE IF NOT EXISTS {schema}.{name} LOCATION '{location}/' "
        "TBLPROPERTIES ('table_type' = 'DELTA');"
    ),
    "databricks": "CREATE TABLE IF NOT EXISTS {schema}.{name} USING DELTA LOCATION '{location}';",
    "duckdb": "CREATE OR REPLACE VIEW {schema}.{name} AS FROM delta_scan('{location}');",
    "trino": (
        "CALL system.register_table(schema_name => '{schema}', table_name => '{name}', table_location => '{location}');"
    ),
}
"""The statement that registers a Delta table, by the program that runs it.

Sources, of the programs' documentation: Athena's "CREATE TABLE" for Delta Lake, Databricks' "CREATE TABLE … LOCATION",
DuckDB's extension ``delta``, and the procedure ``register_table`` of Trino's Delta connector.
"""


_SCHEMA = "CREATE SCHEMA IF NOT EXISTS {schema};"


def print_statements(settings: RegisterTablesSettings) -> None:
    """Print the statements for all tables that readers without this project's code see.

    Raises:
        InputError: nothing was ever published, or a path has a quote.
    """
    from cqa_spark.runtime.workspace import read_lake

    assert settings.catalog is not None, "it is needed"
    for statement in statements(read_lake(settings), settings.catalog, settings.catalog_schema):
        print(statement)


def statements(lake: Lake, catalog: str, schema: str) -> list[str]:
    """The statements that register the published tables of a lake.

    Args:
        lake: the lake.
        catalog: a key of ``STATEMENTS``.
        schema: name of the schema, or database, that gets the tables.
    """
    from cqa_spark.lake.delta_tables import stored_tables
    from cqa_spark.lake.lake import TABLES

    tables = [
        (table.name, _location(lake, table.name))
        for table in stored_tables(lake)
        if "_delta_log" in lake.objects.folders(f"{TABLES}/{table.name}")
    ]
    if not tables:
        raise InputError(f"{lake.root} has no published tables", "publish a run first: cqa runs publish")
    if "'" in lake.root:
        raise InputError(f"the path {lake.root} has a quote", "SQL cannot name it; move the lake to another path")
    return [
        _SCHEMA.format(schema=schema),
        *(STATEMENTS[catalog].format(schema=schema, name=name, location=location) for name, location in tables),
    ]


def _location(lake: Lake, name: str) -> str:
    from cqa_spark.lake.lake import TABLES
    from cqa_spark.object_store.store import delta_address

    path = lake.path(TABLES, name)
    return delta_address(path) if is_remote(path) else os.path.abspath(path)


JOBS = (
    Job(
        "lake register",
        "print the SQL that registers the published tables in a catalog",
        "inspection",
        RegisterTablesSettings,
        print_statements,
    ),
)
