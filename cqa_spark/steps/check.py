"""The checks of a night's run, before readers see it."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.checks.check import Candidate, Verdict
from cqa_spark.checks.registry import CHECKS as ALL_CHECKS
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.errors import ChecksFailed
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.schemas.night import CHECKS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.spark.concurrency import run_concurrently

CHECKED = (INGESTED_FILES, POSTS, COMMENTS, USERS, VOTES, BADGES, EXAMPLES, RANKINGS, METRICS)


def checks_step(run: Run, last: Snapshot | None, limits: CheckSettings, *, system: str, measure: str) -> None:
    """Compare the run with what is published, and write the verdicts.

    Args:
        run: a run that was evaluated.
        last: the published run; None where nothing is.
        limits: what the run may differ by.
        system: the system whose rankings are served.
        measure: the measure that systems are ordered by.
    """
    with run.step("checks") as step:
        same = frozenset(table.name for table in CHECKED if last is not None and run.shares(table, last))
        now, before = run.present(CHECKED), last.present(CHECKED) if last is not None else {}
        candidate = Candidate(now, before, system, measure, same)
        verdicts = run_concurrently(lambda check: check(candidate, limits), ALL_CHECKS)
        rows = [(each.check, each.passed, float(each.measured), float(each.limit), each.reason) for each in verdicts]
        run.write(CHECKS, run.lake.spark.createDataFrame(rows, CHECKS.schema).coalesce(1))
        step.rows_in = len(verdicts)
        step.rows_out = sum(each.passed for each in verdicts)


def refuse_failed(run_id: str, failed: Sequence[Verdict]) -> None:
    """Stop before publishing where checks failed.

    Raises:
        ChecksFailed: some did; all are named.
    """
    if failed:
        told = "; ".join(f"{v.check}: {v.measured:.4g}, limit {v.limit:.4g} ({v.reason})" for v in failed)
        raise ChecksFailed(
            f"run {run_id} is not published: {told}",
            "readers see the run before; mend the input or the limits (checks.…) and run again, or publish all the "
            "same with --force --who NAME",
        )
