"""Resolves the settings of a job from the command line and config files, or reports all problems."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from cqa_spark.settings.command_line import build_parser, flags, read_flags
from cqa_spark.settings.conf_files import JOB, conf_file, config_file
from cqa_spark.settings.layers import Key, SettingsLayer, merge, only, origin_of, read_layer, unknown_keys
from cqa_spark.settings.sections import Command, JobSettings, SettingsSection
from cqa_spark.settings.values import Checks
from cqa_spark.settings.yaml import Problem, SettingsError

SHOWN_CHARACTERS = 80
"""Characters of an invalid value in its error message."""

_NOT_SET = "is not set"

SettingsT = TypeVar("SettingsT", bound=Command)


class Resolved(NamedTuple, Generic[SettingsT]):
    """The settings of a job, and how it runs.

    Attributes:
        settings: of the job.
        dry_run: whether ``--dry-run`` is given.
        debug: whether errors are shown with their tracebacks.
    """

    settings: SettingsT
    dry_run: bool
    debug: bool


def resolve(
    program: str,
    model: type[SettingsT],
    arguments: Sequence[str],
    checks: Checks,
    jobs: Callable[[], Iterable[type[JobSettings]]],
) -> Resolved[SettingsT]:
    """Resolve the settings of a job from its command line.

    Later layers override earlier ones: defaults, conf/base.yaml, conf/cluster.yaml (under spark-submit), ``--config``
    files in the given order, flags. Only jobs on a lake read config files.

    Args:
        program: name of the command, such as ``cqa run``.
        model: the settings of the job.
        arguments: the command line after the command.
        checks: functions that reject unknown names of systems, measures, tasks, …
        jobs: gives the settings of all jobs, whose keys a config file may have; called if files are read.

    Raises:
        SettingsError: there are problems; all are listed.
        SystemExit: help was requested and printed.
    """
    only_common = "--help-all" not in arguments
    parser = build_parser(program, model, with_files=issubclass(model, JobSettings), only_common=only_common)
    parsed, given, problems = read_flags(parser, model, arguments)
    settings = resolve_layer(model, getattr(parsed, "config", ()), given, checks, jobs, problems)
    return Resolved(settings, parsed.dry_run, parsed.debug)


def resolve_layer(
    model: type[SettingsT],
    config: Iterable[str],
    given: SettingsLayer,
    checks: Checks,
    jobs: Callable[[], Iterable[type[JobSettings]]],
    problems: Sequence[Problem] = (),
) -> SettingsT:
    """Resolve the settings of a job from config files and the last layer.

    Args:
        model: the settings of the job.
        config: names of files, as for ``--config``; ignored for a job without a lake.
        given: the last layer.
        checks: functions that reject unknown names of systems, measures, tasks, …
        jobs: gives the settings of all jobs, whose keys a config file may have; called if files are read.
        problems: those of the last layer.

    Raises:
        SettingsError: there are problems; all are listed.
    """
    layered, problems = issubclass(model, JobSettings), list(problems)
    files: list[SettingsLayer | None] = []
    if layered:
        keys = {(JOB,)}.union(*map(known_keys, jobs()))
        for path in [*standard_files(), *map(config_file, config)]:
            layer, file_problems = read_layer(path)
            files.append(layer)
            problems += [*file_problems, *(unknown_keys(layer, keys) if layer else [])]
    if None in files:
        raise SettingsError(problems)  # other checks would report the settings of that file as missing
    layers = [*filter(None, files), given]
    values = only(merge(layers), known_keys(model))
    problems += _contradictions(model, values, layers)
    settings = _validated(model, values, layers, checks, problems)
    if settings is None or problems:
        raise SettingsError(list(dict.fromkeys(_distinct_mistakes(model, problems))))
    return settings


def _distinct_mistakes(model: type[Command], problems: Sequence[Problem]) -> list[Problem]:
    """The problems without those of settings that are not set because their flag is misspelt or lacks its value."""
    meant = {flag for problem in problems for flag in problem.meant}
    keys = {".".join(flag.key) for flag in flags(model) if flag.spelling in meant}
    return [problem for problem in problems if problem.what != _NOT_SET or problem.key not in keys]


def standard_files() -> list[Path]:
    """The config files of every job: conf/base.yaml and, under spark-submit, conf/cluster.yaml."""
    names = ["base", "cluster"] if "PYSPARK_GATEWAY_PORT" in os.environ else ["base"]
    return [_shortest(conf_file(f"{name}.yaml")) for name in names]


def known_keys(model: type[SettingsSection], above: Key = ()) -> set[Key]:
    """The keys of a model's settings and sections."""
    keys = {flag.key for flag in flags(model)}
    return keys | {key[:length] for key in keys for length in range(1, len(key))}


def _shortest(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _contradictions(
    model: type[Command], values: Mapping[str, Any], layers: Sequence[SettingsLayer]
) -> Iterator[Problem]:
    for dotted in model.required(values):
        value: Any = values
        for name in dotted.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if not value:
            yield _not_set(model, tuple(dotted.split(".")))
    for dotted, what, remedy in model.contradictions(values):
        yield Problem(origin_of(tuple(dotted.split(".")), layers), dotted, what, remedy)


def _validated(
    model: type[SettingsT],
    values: Mapping[str, Any],
    layers: Sequence[SettingsLayer],
    checks: Checks,
    problems: list[Problem],
) -> SettingsT | None:
    """Validate the settings; on errors, add them to the problems and return None."""
    try:
        return model.model_validate(values, context=dict(checks))
    except ValidationError as refused:
        errors = refused.errors()
        # pydantic also reports a list of rejected items as too short.
        reported = {_key(error) for error in errors if error["type"] != "too_short"}
        problems += [_problem(model, e, layers) for e in errors if e["type"] != "too_short" or _key(e) not in reported]
        return None


def _problem(model: type[SettingsSection], error: ErrorDetails, layers: Sequence[SettingsLayer]) -> Problem:
    key = _key(error)
    if error["type"] == "missing":
        return _not_set(model, key)
    origin, dotted = origin_of(key, layers), ".".join(key)
    if error["type"] == "refused":
        return Problem(origin, dotted, error["msg"], error["ctx"]["remedy"])
    flag = next((flag for flag in flags(model) if flag.key == key), None)
    meaning = flag.help if flag else "a section: indent its settings below it"
    message = error["msg"][:1].lower() + error["msg"][1:]
    return Problem(origin, dotted, f"{message}, got {_shortened(error['input'])}", f"expected: {meaning}")


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _key(error: ErrorDetails) -> Key:
    return tuple(part for part in error["loc"] if isinstance(part, str))


def _not_set(model: type[SettingsSection], key: Key) -> Problem:
    flag = next(flag for flag in flags(model) if flag.key == key)
    in_file = f" or `{'.'.join(key)}` in a config file" if issubclass(model, JobSettings) else ""
    by_flag = f"{flag.spelling} {flag.metavar}" if flag.spelling.startswith("-") else flag.metavar
    return Problem("config files and flags", ".".join(key), _NOT_SET, f"give {by_flag}{in_file}: {flag.help}")
