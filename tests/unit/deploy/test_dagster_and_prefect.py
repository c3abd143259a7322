"""The nights of Dagster and Prefect in those programs themselves: `make schedulers` runs these in their environment."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dagster", reason="needs Dagster, in an environment of its own: make test-more runs it")
pytest.importorskip("prefect", reason="needs Prefect, in an environment of its own: make test-more runs it")

import dagster
from prefect.testing.utilities import prefect_test_harness

from cqa_spark import errors

pytest_plugins = ["scheduled_home"]
DEPLOY = Path(__file__).resolve().parents[3] / "deploy"


@pytest.fixture(scope="module")
def prefect_server() -> Iterator[None]:
    with prefect_test_harness():
        yield


def run_in_dagster() -> bool:
    night = runpy.run_path(str(DEPLOY / "dagster" / "cqa_nightly.py"))["night"]
    at_once = night.with_retry_policy(dagster.RetryPolicy(max_retries=3))

    def trial() -> None:
        at_once()

    return dagster.job(trial).execute_in_process(raise_on_error=False).success


def run_in_prefect() -> bool:
    module = runpy.run_path(str(DEPLOY / "prefect" / "cqa_nightly.py"))
    flow: Any = module["cqa_nightly"]
    flow.fn.__globals__["night"] = module["night"].with_options(retry_delay_seconds=0)
    return flow(return_state=True).is_completed()


@pytest.mark.usefixtures("prefect_server")
@pytest.mark.parametrize("run", [run_in_dagster, run_in_prefect])
@pytest.mark.parametrize(
    ("codes", "succeeds"),
    [((0,), True), ((errors.AnotherWriter.exit_code, 0), True), ((137, 1, 0), True), ((1, 1, 1, 1), False)]
    + [((error.exit_code,), False) for error in (errors.ConfigError, errors.InputError, errors.EnvironmentProblem)]
    + [((error.exit_code,), False) for error in (errors.ContractError, errors.ChecksFailed)],
)
def test_only_what_may_pass_is_tried_again(home: Path, run: Any, codes: tuple[int, ...], succeeds: bool) -> None:
    (home / "exit_codes").write_text("".join(f"{code}\n" for code in codes))
    assert run() is succeeds
    calls = (home / "calls").read_text().splitlines()
    assert calls == [
        "--master yarn nightly --input s3a://dumps/beer.stackexchange.com/ --lake s3a://rankings/lake"
    ] * len(codes)


def test_dagster_reads_a_schedule_at_a_quarter_past_two() -> None:
    definitions = runpy.run_path(str(DEPLOY / "dagster" / "cqa_nightly.py"))["definitions"]
    (schedule,) = definitions.schedules
    assert (schedule.job_name, schedule.cron_schedule) == ("cqa_nightly", "15 2 * * *")
