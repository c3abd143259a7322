"""Logs runs to MLflow: a finished run with a child for each system, a search with a child for each trial.

A child of a system has its recipe as parameters and its trained model as artifacts. Every model that has learned is a
version of the registered model ``cqa-spark.SYSTEM``, and those of the published runs have the alias ``published``: the
folder that MLflow downloads for it is a model folder for ``cqa.rank(model=…)``. No error of the tracking server fails a
job.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from threading import Thread
from typing import Any
from warnings import catch_warnings, simplefilter

from cqa_spark.errors import EnvironmentProblem, InputError, message_of
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import InputRecord, RecordedScore, RunRecord
from cqa_spark.lake.snapshot import RunTables, published_runs
from cqa_spark.object_store.locations import local_source, open_file
from cqa_spark.object_store.store import delta_address
from cqa_spark.process.disks import disk_problem
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.mlflow_client import open_tracking, require_server, without_retries
from cqa_spark.settings.rendering import flat_settings
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings, TrackedSettings, TrackingSettings

PUBLISHED = "published"
"""The alias of the models of the published runs."""

_MODEL = "model"
"""The folder of the model in MLflow; and what the names of trained systems among the artifacts of the lake's runs begin
with, as in ``model/best_a``."""

_REPORT = "report"
"""The report, among the artifacts of a run."""

_LONGEST = 6000
"""Characters of a parameter that MLflow stores."""


@dataclass(frozen=True)
class LoggedTrial:
    """One trial of a search, or one system of a comparison, as logged to MLflow.

    Attributes:
        name: of the trial.
        parameters: drawn parameters, by path.
        metrics: results, as fractions.
        repeats: the measure of each repeat; empty without repeats.
    """

    name: str
    parameters: Mapping[str, object]
    metrics: Mapping[str, float]
    repeats: Sequence[float] = ()


@contextmanager
def tracked(settings: JobSettings) -> Iterator[Callable[[RunTables], None]]:
    """Log what a job does to MLflow, if its settings say so.

    A server that does not answer is reported before the block; while it runs, MLflow is imported and opened, which
    takes seconds.

    Args:
        settings: of the job.

    Yields:
        A function that logs a finished run; if the server does not answer, it prints a warning.
    """
    if not isinstance(settings, TrackedSettings) or not settings.tracking.enabled:
        yield lambda run: None
        return
    tracking = settings.tracking
    retries: Callable[[], AbstractContextManager[None]] = nullcontext
    try:
        require_server(tracking)
    except EnvironmentProblem as problem:
        retries = without_retries
        Terminal(stderr=True).text(f"warning: {problem.problem}; the run will not be tracked unless it does by the end")

    def open_early() -> None:
        with suppress(Exception), without_retries():  # ``track`` reports failures
            open_tracking(tracking, settings.object_storage)

    opening = Thread(target=open_early, daemon=True)
    opening.start()

    def log(run: RunTables) -> None:
        opening.join()
        with retries():
            track(run, tracking)

    yield log


def track(run: RunTables, settings: TrackingSettings) -> None:
    """Log a run; if the server cannot be reached, print a warning to stderr.

    The parent has the settings, input files, measures and the report, and begins and ends when the run did; a child for
    each system has its recipe, its measures and its model. If the run is published, its models have the alias
    ``published``.

    Args:
        run: a finished run.
        settings: where to log.

    Raises:
        EnvironmentProblem: the disk of the SQLite file or of the artifacts is full.
    """
    record = run.record
    with _warned("run", settings):
        mlflow = open_tracking(settings, run.lake.storage)
        tags = {"run_id": record.run_id, "attempt": str(record.attempt), "lake": run.lake.root, "job": record.job,
                "code_version": record.code_version}  # fmt: skip
        with _run_of(mlflow, settings.experiment, record, tags):
            _log_parameters(mlflow, flat_settings(record.config) | {"config_hash": record.config_hash})
            mlflow.log_metrics({metric_name(score.system, score.measure): score.value for score in record.scores})
            _log_inputs(mlflow, record.inputs)
            _log_report(mlflow, run)
            for system in dict.fromkeys([*models_of(record), *(score.system for score in record.scores)]):
                with mlflow.start_run(run_name=system, tags={**tags, "system": system}, nested=True):
                    mlflow.log_metrics(_measures(score for score in record.scores if score.system == system))
                    if system in models_of(record):
                        recipe = _json_of(run, system, "system.json")["system"]
                        _log_parameters(mlflow, flat_settings(json.dumps(recipe)))
                        log_model(mlflow, run, system)
            if record.attempt_name in (published.attempt_name for published in published_runs(run.lake)):
                mark_published(mlflow, record)


def track_publication(lake: Lake, settings: TrackingSettings) -> None:
    """Give the alias ``published`` to the models of the published runs; those of other runs lose it.

    Args:
        lake: of the runs.
        settings: where their models are registered; nothing is done unless enabled.
    """
    if settings.enabled:
        with _warned("publication", settings):
            mlflow = open_tracking(settings, lake.storage)
            for record in reversed(published_runs(lake)):  # of two models of a system, the latest has the alias
                mark_published(mlflow, record)


def track_trials(
    settings: TrackingSettings, name: str, parameters: Mapping[str, object], trials: Sequence[LoggedTrial], verdict: str
) -> None:
    """Log a search for parameters, or a comparison of systems: a run for it, and a nested one per trial or system.

    Args:
        settings: where to log; if the server cannot be reached, a warning goes to stderr.
        name: of the search.
        parameters: search space and method.
        trials: with their outcomes.
        verdict: conclusion of the search.

    Raises:
        EnvironmentProblem: the disk of the SQLite file is full.
    """
    with _warned("search", settings):
        mlflow = open_tracking(settings, ObjectStorageSettings())
        with mlflow.start_run(run_name=name, nested=mlflow.active_run() is not None):
            mlflow.log_params(dict(parameters))
            mlflow.set_tag("verdict", verdict)
            for trial in trials:
                with mlflow.start_run(run_name=trial.name, nested=True):
                    mlflow.log_params(dict(trial.parameters))
                    mlflow.log_metrics(dict(trial.metrics))
                    for repeat, value in enumerate(trial.repeats):
                        mlflow.log_metric("repeat", value, step=repeat)


def metric_name(*parts: str) -> str:
    """The MLflow name of a measure, such as ``best_a/MAP_at_10``; MLflow allows no ``@``."""
    return "/".join(parts).replace("@", "_at_")


@contextmanager
def _warned(what: str, settings: TrackingSettings) -> Iterator[None]:
    """Turn errors of MLflow into a warning; raise one for a full disk, which would affect the next run too."""
    try:
        yield
    except Exception as error:  # no error of a tracking client may fail the run
        message = f"the {what} was not tracked in MLflow ({settings.uri})"
        if problem := disk_problem(error):
            raise EnvironmentProblem(f"{message}: {problem.problem}", problem.remedy) from error
        Terminal(stderr=True).text(
            f"warning: {message}: {message_of(error)}; correct tracking.uri, start its server, or set "
            "tracking.enabled to false"
        )


def _measures(scores: Iterable[RecordedScore]) -> dict[str, float]:
    """The measures of a system, with the ends of their intervals as ``MEASURE_low`` and ``MEASURE_high``."""
    values = dict[str, float]()
    for score in scores:
        for suffix, value in (("", score.value), ("_low", score.low), ("_high", score.high)):
            if value is not None:
                values[metric_name(score.measure) + suffix] = value
    return values


@contextmanager
def _run_of(mlflow: Any, name: str, record: RunRecord, tags: Mapping[str, str]) -> Iterator[None]:
    """An MLflow run of an experiment with the times of a run, which has ended before it is logged."""
    registry, times = mlflow.MlflowClient(), (record.started_at, record.ended_at)
    started, ended = (round(time.timestamp() * 1000) if time is not None else None for time in times)
    if (outer := mlflow.active_run()) is not None:
        tags = {**tags, "mlflow.parentRunId": outer.info.run_id}
    experiment = mlflow.get_experiment_by_name(name).experiment_id
    created = registry.create_run(experiment, started, dict(tags), record.run_id)
    with mlflow.start_run(run_id=created.info.run_id, nested=outer is not None):
        yield
    registry.set_terminated(created.info.run_id, end_time=ended)


def _log_parameters(mlflow: Any, parameters: Mapping[str, str]) -> None:
    mlflow.log_params({metric_name(key): value[:_LONGEST] for key, value in parameters.items()})


def _json_of(run: RunTables, system: str, name: str) -> dict[str, Any]:
    """A file of the model folder of a system; empty if there is none."""
    with suppress(InputError), open_file(f"{models_of(run.record)[system]}/{name}", run.lake.storage) as file:
        return dict(json.load(file))
    return {}


def _log_inputs(mlflow: Any, inputs: Sequence[InputRecord]) -> None:
    """Log the input files as data sets, with the hash of their bytes as digest."""
    from mlflow.data.dataset_source_registry import resolve_dataset_source
    from mlflow.data.meta_dataset import MetaDataset

    for split, files in groupby(inputs, key=lambda file: file.split):
        with catch_warnings():  # MLflow finds two readers of a local file, which are the same
            simplefilter("ignore", UserWarning)
            data_sets = [
                MetaDataset(  # type: ignore[abstract]
                    resolve_dataset_source(delta_address(file.path)),
                    name=Path(file.path).name,
                    digest=(file.sha256 or "")[:32] or None,
                )
                for file in files
            ]
        mlflow.log_inputs(data_sets, [split] * len(data_sets), [{}] * len(data_sets))


def _log_report(mlflow: Any, run: RunTables) -> None:
    with tempfile.TemporaryDirectory() as folder:
        manifest = Path(folder) / "manifest.json"
        manifest.write_text(json.dumps(asdict(run.record), default=str, indent=2), encoding="utf-8")
        mlflow.log_artifact(str(manifest))
    if report := run.record.artifacts.get(_REPORT):
        with local_source(report, run.lake.storage) as path:
            mlflow.log_artifact(str(path), artifact_path=_REPORT)


def models_of(record: RunRecord) -> dict[str, str]:
    """The folders of the trained systems of a run, by name of the system."""
    kind = f"{_MODEL}/"
    return {name.removeprefix(kind): path for name, path in record.artifacts.items() if name.startswith(kind)}


def log_model(mlflow: Any, run: RunTables, system: str) -> None:
    """Log the model folder of a system to the active run, and register it, unless it is registered already.

    Simple orders, which have learned nothing, are not registered.
    """
    folder = models_of(run.record)[system]
    if _version_from(mlflow, system, folder) is not None:
        return
    with local_source(folder, run.lake.storage) as path:
        mlflow.log_artifacts(str(path), artifact_path=_MODEL)
    if _json_of(run, system, "ranker/model.json").get("training") is None:
        return
    registry, name = mlflow.MlflowClient(), _registered_name(system)
    with suppress(mlflow.exceptions.MlflowException):  # there are versions of the model already
        registry.create_registered_model(name)
    source, run_id = mlflow.get_artifact_uri(_MODEL), mlflow.active_run().info.run_id
    about = _json_of(run, system, "system.json")["system"].get("about", "")
    if card := _json_of(run, system, "card.json"):
        sites = card["sites"]
        labels, newest = sum(site["labels"] for site in sites), max(site["newest"] for site in sites)
        about = f"{about} Learned from {labels:,} threads of {len(sites)} sites, the newest of {newest}."
    registry.create_model_version(name, source, run_id, tags={"folder": folder}, description=about)


def mark_published(mlflow: Any, record: RunRecord) -> None:
    """Give the alias ``PUBLISHED`` to the registered models of a run."""
    for system, folder in models_of(record).items():
        if (model_version := _version_from(mlflow, system, folder)) is not None:
            mlflow.MlflowClient().set_registered_model_alias(_registered_name(system), PUBLISHED, model_version)


def _registered_name(system: str) -> str:
    return f"cqa-spark.{system}"


def _version_from(mlflow: Any, system: str, folder: str) -> str | None:
    """The registered version of a system's model that was logged from a folder; None if there is none."""
    versions = mlflow.MlflowClient().search_model_versions(f"name = '{_registered_name(system)}'")
    return next((stored.version for stored in versions if stored.tags.get("folder") == folder), None)
