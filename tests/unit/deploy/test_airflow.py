"""The DAG in Airflow itself: `make schedulers` runs these in an environment of their own, also for `make test-more`."""

import sys
from datetime import timedelta
from pathlib import Path

import pytest

pytest.importorskip("airflow", reason="needs Airflow, in an environment of its own: make test-more runs it")

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk import DAG
from airflow.utils.db import initdb

from cqa_spark import errors

pytest_plugins = ["scheduled_home"]
FOLDER = Path(__file__).resolve().parents[3] / "deploy" / "airflow"


@pytest.fixture(scope="module", autouse=True)
def database() -> None:
    initdb()


def read_dag() -> DAG:
    bag = DagBag(FOLDER)
    assert bag.import_errors == {}
    (dag,) = bag.dags.values()
    return dag


def run_night(home: Path, *exit_codes: int) -> tuple[str, int]:
    """State and number of tries of the task, where its command ends with these codes, one a try."""
    (home / "exit_codes").write_text("".join(f"{code}\n" for code in exit_codes))
    dag = read_dag()
    dag.get_task("nightly").retry_delay = timedelta(0)
    (task,) = dag.test().get_task_instances()
    assert len((home / "calls").read_text().splitlines()) == task.try_number
    return task.state, task.try_number


def test_airflow_reads_one_task_at_a_quarter_past_two_with_nothing_to_catch_up() -> None:
    dag = read_dag()
    assert (dag.dag_id, dag.task_ids, dag.schedule) == ("cqa_nightly", ["nightly"], "15 2 * * *")
    assert (dag.catchup, dag.max_active_runs) == (False, 1)
    task = dag.get_task("nightly")
    assert (task.retries, task.retry_delay) == (3, timedelta(minutes=30))


def test_every_exit_code_of_ours_is_known_to_the_dag() -> None:
    module = sys.modules[type(read_dag().get_task("nightly")).__module__]
    assert {*module.FINAL, module.ANOTHER_WRITER} == {error.exit_code for error in errors.CqaError.__subclasses__()}


def test_a_good_night_is_one_call(home: Path) -> None:
    assert run_night(home, 0) == ("success", 1)
    assert (home / "calls").read_text() == (
        "--master yarn nightly --input s3a://dumps/beer.stackexchange.com/ --lake s3a://rankings/lake --min-answers 2\n"
    )


@pytest.mark.parametrize("code", [errors.AnotherWriter.exit_code, errors.CqaError.exit_code, 137])
def test_what_may_pass_is_tried_again(home: Path, code: int) -> None:
    assert run_night(home, code, 0) == ("success", 2)


@pytest.mark.parametrize("code", [errors.ConfigError.exit_code, errors.ChecksFailed.exit_code])
def test_what_people_have_to_look_at_fails_at_once(home: Path, code: int) -> None:
    assert run_night(home, code) == ("failed", 1)
