"""a run and the published one → the numbers of rows of the sites that changed."""

from dataclasses import dataclass

from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHANGES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.runtime.step import Product, Step

COUNTED = (POSTS, COMMENTS, USERS, VOTES, BADGES, EXAMPLES)


@dataclass(frozen=True)
class Changes(Step):
    """Count the rows of tables whose files of a site differ from the published ones, without Spark.

    Attributes:
        last: the published run.
    """

    last: Snapshot

    name = "changes"

    def reads(self) -> tuple[Product, ...]:
        """The tables of every night."""
        return POSTS, EXAMPLES

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has."""
        return tuple(table for table in COUNTED if table not in self.reads())

    def writes(self) -> tuple[Product, ...]:
        """The numbers."""
        return (CHANGES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Count and write."""
        entries = [
            {
                "site": site,
                "table_name": table.name,
                "rows_before": _rows(self.last, table, site),
                "rows": _rows(run, table, site),
            }
            for table in COUNTED
            for site in run.changed_sites([table], self.last)
        ]
        counts.rows_out = run.write_entries(
            CHANGES, sorted(entries, key=lambda entry: (entry["site"], entry["table_name"]))
        )


def _rows(tables: RunTables, table: Table, site: str) -> int:
    return tables.files(table).rows_by_site()[site] if tables.has(table) else 0
