"""One night in Airflow 3: a DAG whose single task runs `spark-submit.sh nightly` of a checkout on the worker.

Put this file into the folder of DAGs. The worker's environment names the checkout (``CQA_HOME``; unset: /opt/cqa-spark)
and holds the credentials; what is read and written are parameters of the DAG, which a manual run may change.
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.providers.standard.hooks.subprocess import SubprocessHook
from airflow.sdk import DAG, BaseOperator
from airflow.sdk.exceptions import AirflowFailException

# Exit codes that a retry would not change; they need an operator. The published run is unchanged.
FINAL = {
    2: "the settings cannot be used",
    3: "the dump is missing or unreadable",
    4: "the machine lacks something",
    5: "tables or models do not fit together",
    7: "a check failed; yesterday's rankings stay",
}
ANOTHER_WRITER = 6


class Night(BaseOperator):
    """Runs a command of cqa-spark; Airflow retries only exit codes for which a retry can help.

    The operators that Airflow brings tell success, skip and failure apart, but not a failure that is final.

    Args:
        command: program and arguments, each a template.
    """

    template_fields = ("command",)

    def __init__(self, *, command: list[str], **options) -> None:
        super().__init__(**options)
        self.command = command
        self.process = SubprocessHook()

    def execute(self, context) -> None:
        """Run the command; its output goes to the task's log."""
        status = self.process.run_command(self.command).exit_code
        if status in FINAL:
            raise AirflowFailException(f"{FINAL[status]} (exit code {status})")
        if status == ANOTHER_WRITER:
            raise RuntimeError(f"another process writes the lake (exit code {status})")
        if status:
            raise RuntimeError(f"failed with exit code {status}; yesterday's rankings stay")

    def on_kill(self) -> None:
        """Stop the job with the task; the job releases its lease on the lake."""
        self.process.send_sigterm()


with DAG(
    dag_id="cqa_nightly",
    schedule="15 2 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,  # a dump holds all that came before it, so a night that was missed needs no run of its own
    max_active_runs=1,  # one process writes a lake at a time
    params={
        "master": "yarn",
        "input": "s3a://dumps/beer.stackexchange.com/",
        "lake": "s3a://rankings/lake",
        "min_answers": "2",
    },
    doc_md=__doc__,
):
    Night(
        task_id="nightly",
        command=[
            os.environ.get("CQA_HOME", "/opt/cqa-spark") + "/spark-submit.sh",
            *("--master", "{{ params.master }}"),
            "nightly",
            *("--input", "{{ params.input }}"),
            *("--lake", "{{ params.lake }}"),
            *("--min-answers", "{{ params.min_answers }}"),
        ],
        retries=3,
        retry_delay=timedelta(minutes=30),  # by then a lease whose holder died has long run out
        execution_timeout=timedelta(hours=12),
    )
