"""One night in Prefect 3: a flow whose single task runs `spark-submit.sh nightly` of a checkout on this machine.

`python cqa_nightly.py` serves the flow and its schedule. The environment names the checkout (``CQA_HOME``; unset:
/opt/cqa-spark) and holds the credentials; what is read and written are parameters, which a manual run may change.
"""

import os
import subprocess

from prefect import flow, task

# Exit codes that a retry would not change: settings, input, machine, tables or models, checks. They need an operator.
FINAL = {2, 3, 4, 5, 7}


def may_pass(night, run, state) -> bool:
    """Whether a retry of a failed night can help."""
    failure = state.result(raise_on_failure=False)
    return not isinstance(failure, subprocess.CalledProcessError) or failure.returncode not in FINAL


@task(retries=3, retry_delay_seconds=1800, retry_condition_fn=may_pass)
def night(*arguments: str) -> None:
    """Run the night; where Prefect stops the task, the job stops, and releases its lease on the lake."""
    command = [os.environ.get("CQA_HOME", "/opt/cqa-spark") + "/spark-submit.sh", *arguments]
    with subprocess.Popen(command) as process:
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            raise
    if status:
        raise subprocess.CalledProcessError(status, command)


@flow(name="cqa-nightly")
def cqa_nightly(
    master: str = "yarn", dump: str = "s3a://dumps/beer.stackexchange.com/", lake: str = "s3a://rankings/lake"
) -> None:
    """Rank a new dump; the rankings are published if the checks pass."""
    night("--master", master, "nightly", "--input", dump, "--lake", lake)


if __name__ == "__main__":
    cqa_nightly.serve(name="nightly", cron="15 2 * * *", limit=1)  # one process writes a lake at a time
