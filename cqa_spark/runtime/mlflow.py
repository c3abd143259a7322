"""MLflow: logs finished runs with a child for each system, and searches with a child for each trial."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import cqa_spark as cqa
from cqa_spark.errors import EnvironmentProblem, message_of
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import InputRecord, RecordedScore, RunRecord
from cqa_spark.lake.snapshot import RunTables, published_runs
from cqa_spark.object_store.locations import local_source
from cqa_spark.object_store.store import delta_address
from cqa_spark.process.failures import disk_problem
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.mlflow_client import open_tracking, require_server, without_retries
from cqa_spark.settings.rendering import flat_settings
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings, TrackedSettings, TrackingSettings

if TYPE_CHECKING:
    import pandas as pd
    from mlflow.models import ModelSignature


# MLflow's client: imported without telemetry, set to the experiment and the storage of the settings.


# Trained systems in MLflow: registered models that can be served, of which the published ones have an alias.

PUBLISHED = "published"
"""The alias of the models of the published run."""

_MODEL = "model/"
"""What the names of trained systems among a run's artifacts begin with."""


def models_of(record: RunRecord) -> dict[str, str]:
    """The folders of the trained systems of a run, by name of the system."""
    return {name.removeprefix(_MODEL): path for name, path in record.artifacts.items() if name.startswith(_MODEL)}


def log_model(mlflow: Any, run: RunTables, system: str) -> None:
    """Log and register the model of a system, unless a run has registered it from the same folder."""
    folder = models_of(run.record)[system]
    if _version_from(mlflow, system, folder) is not None:
        return
    # MLflow prints a line for each registration.
    with local_source(folder, run.lake.storage) as path, redirect_stderr(io.StringIO()):
        logged = mlflow.pyfunc.log_model(
            name=system,
            loader_module="cqa_spark.runtime.mlflow",
            data_path=str(path),
            signature=signature(),
            pip_requirements=[f"cqa-spark[spark,learning]=={version('cqa-spark')}"],
        )
        mlflow.register_model(logged.model_uri, _registered_name(system), tags={"folder": folder})


def mark_published(mlflow: Any, record: RunRecord) -> None:
    """Give the alias ``PUBLISHED`` to the registered models of a run."""
    for system, folder in models_of(record).items():
        if (model_version := _version_from(mlflow, system, folder)) is not None:
            mlflow.MlflowClient().set_registered_model_alias(_registered_name(system), PUBLISHED, model_version)


def _registered_name(system: str) -> str:
    return f"cqa-spark.{system}"


def _version_from(mlflow: Any, system: str, folder: str) -> str | None:
    """The registered version of a system's model that was logged from a folder; None for none."""
    versions = mlflow.MlflowClient().search_model_versions(f"name = '{_registered_name(system)}'")
    return next((stored.version for stored in versions if stored.tags.get("folder") == folder), None)


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

    Before the block, the server is asked whether it is there; meanwhile, MLflow is imported and opened, which takes
    seconds.

    Args:
        settings: of the job.

    Yields:
        A function that logs a finished run; of a server that is not there, it prints a warning.
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
    opening = Thread(target=_opened_early, args=(settings,), daemon=True)
    opening.start()

    def log(run: RunTables) -> None:
        opening.join()
        with retries():
            track(run, tracking)

    yield log


def _opened_early(settings: TrackedSettings) -> None:
    """Open MLflow; ``track`` reports failures."""
    try:
        with without_retries():
            open_tracking(settings.tracking, settings.object_storage)
    except Exception:  # no error of a tracking client may fail the run
        return


def track(run: RunTables, settings: TrackingSettings) -> None:
    """Log a run; if the server cannot be reached, print a warning to stderr.

    The parent has the settings, input files, measures and the report; a child for each system has its measures and its
    model. If the run is published, its models have the alias ``published``.

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
        with mlflow.start_run(run_name=record.run_id, tags=tags, nested=mlflow.active_run() is not None):
            mlflow.log_params(_parameters(record))
            mlflow.log_metrics({metric_name(score.system, score.measure): score.value for score in record.scores})
            _log_inputs(mlflow, record.inputs)
            _log_report(mlflow, run)
            for system in dict.fromkeys([*models_of(record), *(score.system for score in record.scores)]):
                with mlflow.start_run(run_name=system, tags={**tags, "system": system}, nested=True):
                    mlflow.log_metrics(_measures(score for score in record.scores if score.system == system))
                    if system in models_of(record):
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
        Terminal(stderr=True).text(f"warning: {message}: {message_of(error)}")


def _parameters(record: RunRecord) -> dict[str, str]:
    """The settings by dotted key, with their hash."""
    settings = flat_settings(record.config) | {"config_hash": record.config_hash}
    return {key: value[:_LONGEST] for key, value in settings.items()}


def _measures(scores: Iterable[RecordedScore]) -> dict[str, float]:
    """The measures of a system, with the ends of their intervals."""
    values = {
        f"{metric_name(score.measure)}{suffix}": value
        for score in scores
        for suffix, value in (("", score.value), ("_low", score.low), ("_high", score.high))
    }
    return {name: value for name, value in values.items() if value is not None}


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


# A trained system as a model of MLflow's flavour ``python_function``, which ``mlflow models serve`` runs.
#
# MLflow calls ``_load_pyfunc`` with the folder of the trained system. Spark starts with the first prediction.

REQUIRED = {"query_id": "string", "query": "string", "candidate_id": "string", "candidate": "string"}
OPTIONAL = {"title": "string", "asker_id": "string", "author_id": "string", "asked_at": "datetime",
            "answered_at": "datetime", "initial_rank": "long"}  # fmt: skip
RESULTS = {"query_id": "string", "candidate_id": "string", "score": "double", "rank": "long", "predicted": "boolean"}


class ServedModel:
    """A trained system that ranks the pairs of a frame.

    Args:
        folder: its model folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def predict(self, pairs: pd.DataFrame, params: dict[str, Any] | None = None) -> pd.DataFrame:
        """Rank the candidates of each query.

        Args:
            pairs: a row per query and candidate, with the columns of the signature; see ``cqa_spark.rank``.
            params: none are known.

        Returns:
            The ids of each pair, with ``score``, ``rank`` from 1, and ``predicted``.
        """
        ranked = cqa.rank(pairs.dropna(axis="columns", how="all"), model=self._folder)
        return ranked[list(RESULTS)]


def _load_pyfunc(path: str) -> ServedModel:
    return ServedModel(path)


def signature() -> ModelSignature:
    """The columns of pairs and of their ranking, as MLflow describes them."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, Schema, TensorSpec

    inputs: list[ColSpec | TensorSpec] = [ColSpec(kind, name) for name, kind in REQUIRED.items()]
    inputs += [ColSpec(kind, name, required=False) for name, kind in OPTIONAL.items()]
    return ModelSignature(Schema(inputs), Schema([ColSpec(kind, name) for name, kind in RESULTS.items()]))
