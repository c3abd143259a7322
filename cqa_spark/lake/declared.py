"""The products that a step of a run has declared: what it may read and write."""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cqa_spark.errors import ContractError
from cqa_spark.lake import schemas
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.table import Table


@dataclass(frozen=True)
class DeclaredProducts:
    """The tables and artifacts of a step, by name.

    Attributes:
        step: name of the step; None for the run itself, which may read and write everything.
        reads: names of what it may read; the kind of an artifact, before its slash, stands for all of the kind.
        writes: names of what it may write, and read afterwards.
    """

    step: str | None
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def require_readable(self, name: str) -> None:
        """Check that the step may read a product.

        Raises:
            ContractError: it has not declared it.
        """
        declared = self.reads | self.writes
        if self.step is not None and name not in declared and name.partition("/")[0] not in declared:
            raise self._undeclared("reads", name, "reads() or reads_if_present()")

    def require_output(self, name: str) -> None:
        """Check that the step may write a product.

        Raises:
            ContractError: it has not declared it.
        """
        if self.step is not None and not {name, name.partition("/")[0]} & self.writes:
            raise self._undeclared("writes", name, "writes()")

    def _undeclared(self, does: str, name: str, where: str) -> ContractError:
        return ContractError(
            f"the step {self.step} {does} {name}, which it does not declare", f"add the product to {where} of the step"
        )


ALL_PRODUCTS = DeclaredProducts(None)


def published_product(table: Table) -> str:
    """The name of a published table among the products of steps."""
    return f"published {table.name}"


# Every table that ``cqa_spark.lake.schemas`` declares.


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
