"""The declared schema of every table in the lake, one module per stage of the data flow."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import Table


@cache
def declared_tables() -> Mapping[str, Table | JournalTable]:
    """Every table that a module of this package declares, by name."""
    tables: dict[str, Table | JournalTable] = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(member, Table | JournalTable):
                tables[member.name] = member
    return tables


def published_tables() -> list[Table]:
    """The tables that readers without this project's code see."""
    return [table for table in declared_tables().values() if isinstance(table, Table)]
