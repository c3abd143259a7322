"""``cqa lake register``: the statements that make a lake's published tables external tables of a catalog."""

import os
from collections.abc import Mapping

from cqa_spark.errors import InputError
from cqa_spark.lake.delta_tables import stored_tables
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.object_store.store import delta_address
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.settings.runs import RegisterTablesSettings
from cqa_spark.settings.values import is_remote

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
    path = lake.path(TABLES, name)
    return delta_address(path) if is_remote(path) else os.path.abspath(path)
