"""a run and the published one → verdicts on whether it may be published."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from cqa_spark.checks.check import RunUnderReview, Verdict, all_checks
from cqa_spark.errors import ChecksFailed
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHECKS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import RunTables, Snapshot
from cqa_spark.lake.table import Table, TableFiles
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.sections import CheckSettings
from cqa_spark.spark.frames import run_concurrently


@dataclass(frozen=True)
class Check(Step):
    """Compare the run with the published one, and write the verdicts.

    Attributes:
        last: the published run; None before the first publication.
        limits: allowed differences.
        system: the system whose rankings are served.
        measure: the measure by which systems are ordered.
        min_answers: number of answers from which a question must be served; None for tasks without replayed nights.
    """

    last: Snapshot | None
    limits: CheckSettings
    system: str
    measure: str
    min_answers: int | None = None

    name = "checks"

    def reads(self) -> tuple[Product, ...]:
        """The tables of a run with rankings."""
        return EXAMPLES, RANKINGS, INGESTED_FILES

    def reads_if_present(self) -> tuple[Product, ...]:
        """All other tables that checks read."""
        return tuple(table for table in _tables() if table not in self.reads())

    def writes(self) -> tuple[Product, ...]:
        """The verdicts."""
        return (CHECKS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Run all checks."""
        last = self.last
        compared = [table for table in _tables() if isinstance(table, Table)]
        review = RunUnderReview(
            now=run.present(compared),
            last=last.present(compared) if last is not None else {},
            system=self.system,
            measure=self.measure,
            entries=_entries(run),
            last_entries=_entries(last) if last is not None else {},
            files=_files(run),
            last_files=_files(last) if last is not None else {},
            min_answers=self.min_answers,
        )
        verdicts = run_concurrently(lambda check: check(review, self.limits), all_checks())
        run.write_entries(CHECKS, [asdict(each) for each in verdicts])
        counts.rows_in = len(verdicts)
        counts.rows_out = sum(each.passed for each in verdicts)


def failed_checks(tables: RunTables) -> list[Verdict]:
    """The failed checks of a run; none if it was not checked."""
    return [Verdict(**entry) for entry in tables.entries_or_none(CHECKS) if not entry["passed"]]


def refuse_failed(run_id: str, failed: Sequence[Verdict]) -> None:
    """Stop before publishing if checks failed.

    Raises:
        ChecksFailed: some checks failed; the message lists all of them.
    """
    if failed:
        listed = "; ".join(f"{v.check}: {v.measured:.4g}, limit {v.limit:.4g} ({v.reason})" for v in failed)
        raise ChecksFailed(
            f"run {run_id} is not published: {listed}",
            "the published run is unchanged; correct the input or the limits (checks.…) and run again, or publish it "
            "anyway with --force --who NAME",
        )


def _tables() -> tuple[Table | JournalTable, ...]:
    """The tables that any check reads."""
    return tuple({table.name: table for check in all_checks() for table in check.tables}.values())


def _files(tables: RunTables) -> dict[str, TableFiles]:
    return {t.name: tables.files(t) for t in _tables() if isinstance(t, Table) and tables.has(t)}


def _entries(tables: RunTables) -> dict[str, list[dict[str, object]]]:
    return {t.name: tables.entries_or_none(t) for t in _tables() if isinstance(t, JournalTable)}
