"""Opens sessions, lakes and runs from settings, and runs flows end to end.

Every run records the version of the code.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from pyspark.sql import SparkSession

from cqa_spark import __version__
from cqa_spark.errors import noted
from cqa_spark.lake.lake import Lake, LeasedLake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold, refuse_unusable_lake, require_lake
from cqa_spark.lake.run import Run, open_run
from cqa_spark.lake.run_log import RunLog, RunRecord, StepRecord
from cqa_spark.object_store.locations import require_writable
from cqa_spark.plugins import plugins_of_others
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.flow import Flow, execute_step, execute_steps
from cqa_spark.runtime.mlflow import tracked
from cqa_spark.runtime.stage_progress import stages_shown
from cqa_spark.settings.rendering import config_hash, config_yaml
from cqa_spark.settings.sections import JobSettings
from cqa_spark.spark.internals import running_stages
from cqa_spark.spark.session import session_of

_OUTSIDE = frozenset({"conf", "jobs"})
"""Folders that lie beside the package in a checkout, and in it in a wheel."""

_CHARACTERS = 12
"""Characters of the hash that identify a version."""


@cache
def package_version() -> str:
    """The package's version and a hash of its sources, such as ``0.1.0+3f2a9c1d7b40``.

    A wheel, a checkout and the zip file of ``spark-submit.sh`` with the same sources have the same version; an edited
    checkout has another.
    """
    return f"{__version__}+{sources_hash(files('cqa_spark'))[:_CHARACTERS]}"


def code_version() -> str:
    """The version of the package, and a hash of the sources of plug-ins of others, if there are any.

    Runs with one code version computed their values in the same way, and a run reuses values only of such runs.
    Recipes and settings are no part of it: the configuration hash of a run covers them.
    """
    packages = sorted({entry.target.partition(":")[0].partition(".")[0] for entry in plugins_of_others()})
    return f"{package_version()}+{_plugin_hash(tuple(packages))}" if packages else package_version()


def sources_hash(package: Traversable) -> str:
    """SHA-256, hexadecimal, of the paths and bytes of all Python modules of a package, in the order of their paths.

    Args:
        package: its folder, also within a zip file.
    """
    total = sha256()
    for path, module in sorted(_modules(package, ""), key=lambda pair: pair[0]):
        total.update(f"{path}\0".encode() + sha256(module.read_bytes()).digest())
    return total.hexdigest()


def _modules(folder: Traversable, above: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        path = f"{above}{entry.name}"
        if entry.name.endswith(".py"):
            yield path, entry
        elif entry.is_dir() and path not in _OUTSIDE:
            yield from _modules(entry, f"{path}/")


def _plugin_hash(packages: tuple[str, ...]) -> str:
    total = sha256("".join(f"{name}\0{_source_hash(name)}\0" for name in packages).encode())
    return total.hexdigest()[:_CHARACTERS]


def _source_hash(name: str) -> str:
    """The hash of a top-level package or module; empty if there is none, or if it cannot be imported."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return ""
    if not spec.submodule_search_locations:
        return sha256(Path(spec.origin).read_bytes()).hexdigest()
    try:
        return sources_hash(files(name))
    except Exception:  # whatever the package raises; who uses its plug-ins is told
        return ""


S = TypeVar("S", bound=JobSettings)

HEADER = f"{'step':<12}{'rows in':>12}{'rows out':>12}{'bad':>8}{'seconds':>10}"


@contextmanager
def temporary_lake(settings: S) -> Iterator[S]:
    """The settings with a lake: their own, or a temporary one if they name none."""
    if settings.lake:
        yield settings
        return
    with tempfile.TemporaryDirectory(prefix="cqa-lake-") as folder:
        Terminal(stderr=True).line(f"temporary lake: {folder}, deleted at the end; --lake keeps the tables of the run")
        yield settings.model_copy(update={"lake": folder})


def read_lake(settings: JobSettings) -> Lake:
    """Open the lake that the settings name, for reading; Spark starts when a table is read.

    Raises:
        ConfigError: there is no such lake, or an older version wrote it.
    """
    require_lake(settings.lake, settings.object_storage)
    return Lake(_session(settings), settings.lake, settings.object_storage)


@contextmanager
def write_lake(settings: JobSettings, job: str, *, create: bool = True) -> Iterator[LeasedLake]:
    """Lease the lake for writing; Spark starts when a table is read or written.

    Args:
        settings: of the job.
        job: name of the job, shown to other processes that try to write.
        create: whether a lake that does not exist is created.

    Raises:
        AnotherWriter: another process writes the lake.
        ConfigError: there is no such lake, and ``create`` is False; or an older version wrote it.
    """
    if not create:
        require_lake(settings.lake, settings.object_storage)
    refuse_unusable_lake(settings.lake, settings.object_storage)
    require_writable(settings.lake, settings.object_storage)
    with hold(Lake(_session(settings), settings.lake, settings.object_storage), Holder.of_this_process(job)) as lake:
        yield lake


def run_flow(flow: Flow, settings: JobSettings, *, resume: bool = False, create: bool = True) -> Run:
    """Lease the lake and run a flow end to end.

    Args:
        flow: the steps.
        settings: of the job.
        resume: continue with the outputs of earlier jobs of the same run; see ``existing_products``.
        create: whether a lake that does not exist is created; resuming a run requires one.

    Returns:
        The finished run.

    Raises:
        AnotherWriter: another process writes the lake.
        ConfigError: there is no such lake, and thus no run to resume.
    """
    for step in flow.steps:
        step.prepare()
    with write_lake(settings, flow.name, create=create and not resume) as lake:
        return run_flow_in(lake, flow, settings, resume=resume)


def run_flow_in(
    lake: LeasedLake,
    flow: Flow,
    settings: JobSettings,
    *,
    resume: bool = False,
    on_success: Callable[[Run], None] = lambda run: None,
) -> Run:
    """Run a flow, as ``run_flow`` does, in a lake that this process already leases; Spark starts as the steps need it.

    Args:
        lake: the lake.
        flow: the steps.
        settings: of the job.
        resume: continue with the outputs of earlier jobs of the same run.
        on_success: called when the run's tables are written, before anything is delivered.
    """
    lake = replace(lake, session=_session(settings, flow))
    with tracked(settings) as log:
        with (
            open_run_in(lake, settings, flow.name, resume=resume) as run,
            stages_shown(partial(running_stages, lake.spark)),
        ):
            execute_steps(flow, run)
        on_success(run)
        for step in flow.delivering:
            execute_step(step, run)
        with noted(f"run {run.run_id} is finished; its tables are written"):
            log(run)
    return run


@contextmanager
def open_run_in(lake: LeasedLake, settings: JobSettings, job: str, *, resume: bool) -> Iterator[Run]:
    """Open a run in a lake that this process leases.

    Args:
        lake: the lake.
        settings: of the job.
        job: its name, for the log.
        resume: continue with the outputs of earlier jobs of the same run.

    Raises:
        AnotherWriter: another process has taken the lake over; checked at the end of each step.
    """
    terminal = Terminal(stderr=True)

    def on_step(step: StepRecord) -> None:
        counts = f"{step.rows_in:>12,}{step.rows_out:>12,}{step.rows_quarantined:>8,}"
        terminal.line(f"{step.step:<12}{counts}{step.seconds:>10.1f}")
        lake.lease.renew()

    begin = RunRecord(
        run_id=settings.run_id or new_run_id(settings),
        status="running",
        job=job,
        config_hash=config_hash(settings),
        config=config_yaml(settings),
        code_version=code_version(),
    )
    terminal.line(HEADER)
    run = None
    try:
        with open_run(lake, begin, resume=resume, on_step=on_step) as run:
            yield run
    except BaseException:
        # If Java has ended or the disk is full, the next holder of the lease logs the end of the run.
        lake.lease.is_kept = run is not None and run.record.status == "running"
        raise


def existing_products(settings: JobSettings) -> frozenset[str]:
    """The names of the existing tables and artifacts of the run in the settings; needs no Spark."""
    assert settings.run_id is not None, "resuming a run requires its id"
    record = RunLog(read_lake(settings).objects).last_success(settings.run_id)
    return frozenset({*record.tables, *record.artifacts}) if record is not None else frozenset()


def new_run_id(settings: JobSettings) -> str:
    """A run id that sorts by time and contains the hash of the settings."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{config_hash(settings)[:8]}"


def _session(settings: JobSettings, flow: Flow | None = None) -> Callable[[], SparkSession]:
    """A function that starts Spark on first use."""

    @cache
    def start() -> SparkSession:
        if flow is None:
            return session_of(settings)
        return session_of(settings, compile_plans=flow.compiles_plans(), task_imports=flow.task_imports())

    return start
