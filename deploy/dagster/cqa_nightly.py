"""One night in Dagster 1: a job whose single op runs `spark-submit.sh nightly` of a checkout on the machine of the run.

`dagster dev -f cqa_nightly.py` shows it with its schedule. The environment names the checkout (``CQA_HOME``; unset:
/opt/cqa-spark) and holds the credentials; what is read and written are its configuration.
"""

import os
import subprocess

from dagster import Config, Definitions, Failure, RetryPolicy, ScheduleDefinition, job, op

# Exit codes that a retry would not change: settings, input, machine, tables or models, checks. They need an operator.
FINAL = {2, 3, 4, 5, 7}


class Night(Config):
    """What a night reads and writes."""

    master: str = "yarn"
    dump: str = "s3a://dumps/beer.stackexchange.com/"
    lake: str = "s3a://rankings/lake"


@op(retry_policy=RetryPolicy(max_retries=3, delay=1800))
def night(config: Night) -> None:
    """Run the night; where Dagster stops the op, the job stops, and releases its lease on the lake."""
    program = os.environ.get("CQA_HOME", "/opt/cqa-spark") + "/spark-submit.sh"
    arguments = ["--master", config.master, "nightly", "--input", config.dump, "--lake", config.lake]
    with subprocess.Popen([program, *arguments]) as process:
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            raise
    if status:
        failed = f"the night ended with exit code {status}; yesterday's rankings stay"
        raise Failure(failed, allow_retries=status not in FINAL)


@job
def cqa_nightly() -> None:
    """Rank a new dump; the rankings are published if the checks pass."""
    night()


definitions = Definitions(schedules=[ScheduleDefinition(job=cqa_nightly, cron_schedule="15 2 * * *")])
