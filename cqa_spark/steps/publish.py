"""a finished run → the published one."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from cqa_spark.checks.complete_queries import NAME as COMPLETE_QUERIES
from cqa_spark.checks.complete_queries import incomplete_rankings
from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.errors import ContractError
from cqa_spark.lake import publishing
from cqa_spark.lake.lake import LeasedLake
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog, StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHECKS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, published_runs
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.steps.check import failed_checks, refuse_failed


@dataclass(frozen=True)
class Publish(Step):
    """Publish the run atomically if it passed its checks.

    Attributes:
        force: publish although checks failed.
        who: name recorded in the run log if checks failed.
    """

    force: bool = False
    who: str | None = None

    name = "publish"
    delivers = True

    def reads_if_present(self) -> tuple[Product, ...]:
        """The tables verified before publishing."""
        return INGESTED_FILES, RANKINGS, EXAMPLES, CHECKS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Verify and publish."""
        publish_run(leased(run), run.run_id, force=self.force, who=self.who)


def publish_run(
    lake: LeasedLake, run_id: str, *, force: bool = False, who: str | None = None, reason: str | None = None
) -> None:
    """Publish a run whose tables are complete, if it passed its checks; otherwise the run log says what failed.

    A no-op if the run is published.

    Args:
        lake: leased by this process.
        run_id: the run.
        force: publish although checks failed.
        who: name recorded in the run log if checks failed.
        reason: reason for the run log; None for the verdict of the checks.

    Raises:
        InputError: the run never succeeded.
        ChecksFailed: checks failed, and ``force`` is not set; the published run is unchanged.
        ContractError: record counts disagree, or a ranking is incomplete; the published run is unchanged.
    """
    log = RunLog(lake.objects)
    success = log.require_success(run_id)
    tables = Snapshot(lake, success)
    failed = failed_checks(tables)
    names = ", ".join(each.check for each in failed)
    is_published = success.attempt_name in {record.attempt_name for record in published_runs(lake)}
    if failed and not force and not is_published:
        log.append(replace(success, message=f"not published, failed: {names}", recorded_at=datetime.now(UTC)))
        refuse_failed(run_id, failed)
    if reason is None and failed:
        reason = f"forced by {who}, failed: {names}"
    elif reason is None:
        reason = "passed all checks" if tables.has(CHECKS) else "published"
    check_accounting(tables.entries_or_none(INGESTED_FILES))
    if tables.has(RANKINGS) and not _passed(tables, COMPLETE_QUERIES):
        _refuse_incomplete_rankings(tables)
    publishing.publish(lake, run_id, reason=reason)


def leased(run: Run) -> LeasedLake:
    """The lake of a run, leased by this process."""
    assert isinstance(run.lake, LeasedLake), "a flow runs in a lake that this process leases"
    return run.lake


def _passed(tables: Snapshot, check: str) -> bool:
    """Whether the run passed a check; its tables have not changed since."""
    return any(entry["check"] == check and entry["passed"] for entry in tables.entries_or_none(CHECKS))


def _refuse_incomplete_rankings(tables: Snapshot) -> None:
    """Check that every system ranks all candidates of each query that it ranks."""
    broken = incomplete_rankings(tables.read(RANKINGS), tables.read(EXAMPLES))
    first = broken.orderBy("system", "site", "task", "query_id").first()
    if first is not None:
        raise ContractError(
            f"run {tables.record.run_id} is not published: {first['system']} ranked {first['ranked']} of "
            f"{first['wanted']} candidates of {first['query_id']}",
            "score the run again; the published run is unchanged",
        )
