"""From settings to an open run: the session, the lake, the log entry."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

from cqa_spark.config.dump import config_hash, config_yaml
from cqa_spark.config.settings import JobSettings
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import LeasedLake, hold
from cqa_spark.lake.run import Run, open_run
from cqa_spark.lake.run_record import RunRecord, Step
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.locations import require_writable
from cqa_spark.runtime.progress import print_header, print_step
from cqa_spark.runtime.provenance import code_version
from cqa_spark.spark.session import spark_session

S = TypeVar("S", bound=JobSettings)


@contextmanager
def temporary_lake(settings: S) -> Iterator[S]:
    """The settings with a lake: their own, or one for the time of the job where they name none."""
    if settings.lake:
        yield settings
        return
    with tempfile.TemporaryDirectory(prefix="cqa-lake-") as folder:
        yield settings.model_copy(update={"lake": folder})


def open_lake(settings: JobSettings) -> Lake:
    """Start Spark and open the lake that the settings name."""
    require_writable(settings.lake, settings.object_storage)
    spark = spark_session(
        "cqa-spark",
        master=settings.spark.master,
        partitions=settings.spark.partitions,
        driver_memory=settings.spark.driver_memory,
        compile_plans=settings.spark.compile_plans,
        object_storage=settings.object_storage,
    )
    return Lake(spark, settings.lake, settings.object_storage)


@contextmanager
def write_lake(settings: JobSettings, job: str) -> Iterator[LeasedLake]:
    """Start Spark and open the lake as the only one who writes it.

    Args:
        settings: what the job was told.
        job: its name, for others who want to write.

    Raises:
        AnotherWriter: another process writes the lake.
    """
    with hold(open_lake(settings), Holder.of_this_process(job)) as lake:
        yield lake


@contextmanager
def open_job(settings: JobSettings, job: str, *, resume: bool) -> Iterator[Run]:
    """Open the run that a job works on, as the only one who writes the lake.

    Args:
        settings: what the job was told.
        job: its name, for the log.
        resume: go on with what earlier jobs of the same run wrote.

    Raises:
        AnotherWriter: another process writes the lake.
    """
    with write_lake(settings, job) as lake, open_run_in(lake, settings, job, resume=resume) as run:
        yield run


@contextmanager
def open_run_in(lake: LeasedLake, settings: JobSettings, job: str, *, resume: bool) -> Iterator[Run]:
    """Open a run in a lake that is held; as ``open_job`` for jobs that do more than one run, such as publishing it.

    Raises:
        AnotherWriter: another process has taken the lake over; seen at the end of each step.
    """

    def on_step(step: Step) -> None:
        print_step(step)
        lake.lease.require()

    begin = RunRecord(
        run_id=settings.run_id or new_run_id(settings),
        status="running",
        job=job,
        config_hash=config_hash(settings),
        config=config_yaml(settings),
        code_version=code_version(),
    )
    print_header()
    with open_run(lake, begin, resume=resume, on_step=on_step) as run:
        yield run


def new_run_id(settings: JobSettings) -> str:
    """A run id that sorts by time and shows which settings it ran with."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{config_hash(settings)[:8]}"
