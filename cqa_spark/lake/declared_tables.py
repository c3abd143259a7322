"""Every table that ``cqa_spark.lake.schemas`` declares."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from cqa_spark.lake import schemas
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import Table


@cache
def declared_tables() -> Mapping[str, Table | JournalTable]:
    """The tables by name."""
    modules = [
        importlib.import_module(f"{schemas.__name__}.{found.name}") for found in pkgutil.iter_modules(schemas.__path__)
    ]
    members = [member for module in modules for member in vars(module).values()]
    return {member.name: member for member in members if isinstance(member, Table | JournalTable)}


def published_tables() -> list[Table]:
    """The tables that readers without this project's code see."""
    return [table for table in declared_tables().values() if isinstance(table, Table)]
