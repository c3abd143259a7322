"""A finished run → what readers see."""

from __future__ import annotations

from cqa_spark.checks.complete_queries import incomplete_rankings
from cqa_spark.config.settings import PublishSettings, RollbackSettings
from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.errors import ContractError
from cqa_spark.lake import publishing
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.workspace import write_lake


def publish(settings: PublishSettings) -> None:
    """Check a finished run and make it the one that readers see."""
    with write_lake(settings, "publish") as lake:
        publish_run(lake, settings.run_id)
    print(f"published {settings.run_id}")


def rollback(settings: RollbackSettings) -> None:
    """Make the run that was published before visible again."""
    with write_lake(settings, "rollback") as lake:
        record = publishing.rollback(lake, settings.to)
    print(f"readers see {record.run_id} again: {record.message}")


def publish_run(lake: LeasedLake, run_id: str, *, reason: str = "published") -> None:
    """Publish a run whose tables are whole.

    Args:
        lake: held by this process.
        run_id: the run.
        reason: why, for the log.

    Raises:
        InputError: the run never succeeded.
        ContractError: a check failed; what is published stays as it is.
    """
    tables = Snapshot(lake, RunLog(lake).require_success(run_id))
    check_accounting(tables.read(INGESTED_FILES))
    if tables.has(RANKINGS):
        _check_rankings_are_complete(tables)
    publishing.publish(lake, run_id, reason=reason)


def _check_rankings_are_complete(tables: Snapshot) -> None:
    """Every system has to rank every candidate of every query that it ranks candidates of."""
    broken = incomplete_rankings(tables.read(RANKINGS), tables.read(EXAMPLES))
    first = broken.orderBy("system", "site", "task", "query_id").first()
    if first is not None:
        raise ContractError(
            f"run {tables.record.run_id} is not published: {first['system']} ranked {first['ranked']} of "
            f"{first['wanted']} candidates of {first['query_id']}",
            "score the run again; the published run is unchanged",
        )
