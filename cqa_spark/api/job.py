"""Jobs of the command line, from Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from cqa_spark.api.lake import Run, open_lake
from cqa_spark.commands import jobs
from cqa_spark.errors import ConfigError, CqaError
from cqa_spark.runtime.workspace import new_run_id
from cqa_spark.settings.command_line import flags
from cqa_spark.settings.layers import Key, SettingsLayer, nested
from cqa_spark.settings.resolve import resolve_layer
from cqa_spark.settings.sections import Command, JobSettings
from cqa_spark.settings.suggestions import did_you_mean
from cqa_spark.spark.failures import explained

Config = str | PathLike[str] | Sequence[str | PathLike[str]]
"""One or more YAML files of settings; later ones override earlier ones."""


def job(name: str, *, config: Config = (), **settings: Any) -> Job:
    """Prepare a job of the command line; nothing is read or written, and Spark does not start.

    Args:
        name: name of the command, such as ``run`` or ``nightly``.
        config: YAML files of settings, as for ``--config``.
        settings: settings by the names of their flags, with underscores instead of hyphens: ``lake``,
            ``min_answers``. Those of a section are a mapping: ``evaluation={"seed": 1}``.

    Raises:
        ConfigError: an unknown job or setting, or invalid settings; all mistakes are listed.

    >>> import cqa_spark as cqa
    >>> job = cqa.job("synth qatar-living", output="build/sample", threads=2, dev_threads=1)
    >>> job.settings["threads"]
    2
    """
    names = jobs.listed_jobs()
    if name not in names:
        raise ConfigError(f"unknown job {name!r}", did_you_mean(name, names, f"known jobs: {', '.join(names)}"))
    entry = jobs.load_job(name)
    files = [config] if isinstance(config, str | PathLike) else list(config)
    layer = _layer(name, entry.settings, settings)
    resolved = resolve_layer(entry.settings, [fspath(file) for file in files], layer, jobs.checks(), jobs.job_settings)
    return Job(entry, resolved)


class Job:
    """A job with its settings, prepared by ``cqa.job``.

    Args:
        entry: the job of the command line.
        settings: its resolved settings.
    """

    def __init__(self, entry: jobs.Job, settings: Command) -> None:
        self._entry = entry
        self._settings = settings

    @property
    def settings(self) -> Mapping[str, Any]:
        """The resolved settings, by section."""
        return self._settings.model_dump(mode="json")

    def plan(self) -> str:
        """The settings, inputs and outputs, and the steps of the flow, as ``--dry-run`` prints them."""
        return jobs.plan(self._entry, self._settings)

    def run(self) -> Run | None:
        """Run the job; progress and results are printed as on the command line.

        Returns:
            The run that the job wrote; None for a job that writes no run.

        Raises:
            CqaError: the error that the command line would print.
        """
        settings = self._settings
        if isinstance(settings, JobSettings) and settings.lake and settings.run_id is None:
            settings = settings.model_copy(update={"run_id": new_run_id(settings)})
        try:
            self._entry.function(settings)
        except CqaError:
            raise
        except Exception as error:
            lake = getattr(settings, "lake", None)
            raise explained(error, [lake] if lake else []) or error from error
        return _run(settings)


def _run(settings: Command) -> Run | None:
    """The run that a finished job wrote."""
    if not isinstance(settings, JobSettings) or not settings.lake or settings.run_id is None:
        return None
    lake = open_lake(settings.lake, object_storage=settings.object_storage)
    return lake.run(settings.run_id) if settings.run_id in lake.runs().to_arrow()["run_id"].to_pylist() else None


def _layer(name: str, model: type[Command], settings: Mapping[str, Any]) -> SettingsLayer:
    """The settings as a layer above the config files.

    Raises:
        ConfigError: a setting that the job does not have.
    """
    flags_by_name = {flag.spelling.lstrip("-").replace("-", "_"): flag for flag in flags(model)}
    values: dict[Key, Any] = {}
    origins: dict[Key, str] = {}
    for spelling, value in _flat(settings):
        if spelling not in flags_by_name:
            raise ConfigError(
                f"cqa {name}: unknown setting {spelling}", did_you_mean(spelling, flags_by_name, f"cqa {name} --help")
            )
        key, is_list = flags_by_name[spelling].key, flags_by_name[spelling].many
        values[key] = [value] if is_list and isinstance(value, str | PathLike) else value
        origins[key] = f"argument {spelling}"
    return SettingsLayer("arguments", nested(values), origins)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Settings by the spelling of their flags; paths as texts."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            paths = list(map(_text, value)) if isinstance(value, list | tuple) else _text(value)
            yield f"{prefix}{key}", paths


def _text(value: Any) -> Any:
    return fspath(value) if isinstance(value, PathLike) else value
