"""From the command line and the files it names to the settings of one job, or to a list of all mistakes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from cqa_spark.config.command import Command
from cqa_spark.config.flags import build_parser, flags, read_flags
from cqa_spark.config.layers import Key, Layer, merge, only, origin_of, read_layer, unknown_keys
from cqa_spark.config.problems import Problem, SettingsError
from cqa_spark.config.project_root import project_root
from cqa_spark.config.sections import Section
from cqa_spark.config.settings import JobSettings
from cqa_spark.config.value_types import Checks

SettingsT = TypeVar("SettingsT", bound=Command)


class Resolved(NamedTuple, Generic[SettingsT]):
    """The settings of a job, and whether only they are wanted."""

    settings: SettingsT
    dry_run: bool


def resolve(
    program: str,
    model: type[SettingsT],
    arguments: Sequence[str],
    checks: Checks,
) -> Resolved[SettingsT]:
    """Settle the settings of a job.

    Layers, the later over the earlier: the defaults, conf/base.yaml, then conf/local.yaml or (under spark-submit)
    conf/cluster.yaml, every ``--config`` file in the order given, flags. A model that is no job's has flags only.

    Args:
        program: how the job is called, such as ``cqa run``.
        model: the settings of the job.
        arguments: the command line after the job's name.
        checks: what tells an unknown system, measure, task, … by name.

    Raises:
        SettingsError: anything is wrong; all of it is listed.
        SystemExit: help was asked for and printed.
    """
    layered = issubclass(model, JobSettings)
    parser = build_parser(program, model, with_files=layered)
    parsed, given, problems = read_flags(parser, model, arguments)
    files, file_problems = _read_files([*standard_files(), *map(Path, parsed.config)]) if layered else ([], [])
    layers = [*files, given]
    values = only(merge(layers), known_keys(model))
    problems += file_problems
    problems += _contradictions(model, values, layers)
    settings = _validated(model, values, layers, checks, problems)
    if settings is None or problems:
        raise SettingsError(list(dict.fromkeys(problems)))
    return Resolved(settings, parsed.dry_run)


def standard_files() -> list[Path]:
    """The config files that every job reads: for all machines, and for a laptop or (under spark-submit) a cluster."""
    machine = "cluster" if "PYSPARK_GATEWAY_PORT" in os.environ else "local"
    return [_shortest(project_root() / "conf" / f"{name}.yaml") for name in ("base", machine)]


def known_keys(model: type[Section], above: Key = ()) -> set[Key]:
    """The keys of a model's settings and sections."""
    keys = {flag.key for flag in flags(model)}
    return keys | {key[:length] for key in keys for length in range(1, len(key))}


def all_jobs(base: type[JobSettings] = JobSettings) -> Iterator[type[JobSettings]]:
    """The settings of all jobs."""
    yield base
    for model in base.__subclasses__():
        yield from all_jobs(model)


def _shortest(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _read_files(paths: Sequence[Path]) -> tuple[list[Layer], list[Problem]]:
    known = set().union(*map(known_keys, all_jobs()))
    layers, problems = [], []
    for path in paths:
        layer, mistakes = read_layer(path)
        layers.append(layer)
        problems += [*mistakes, *unknown_keys(layer, known)]
    return layers, problems


def _contradictions(model: type[Command], values: Mapping[str, Any], layers: Sequence[Layer]) -> Iterator[Problem]:
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
    layers: Sequence[Layer],
    checks: Checks,
    problems: list[Problem],
) -> SettingsT | None:
    """The settings, or None after a problem was noted for everything that the model refuses."""
    try:
        return model.model_validate(values, context=dict(checks))
    except ValidationError as refused:
        errors = refused.errors()
        # A list whose items were refused counts as too short as well: one mistake, told once.
        told = {_key(error) for error in errors if error["type"] != "too_short"}
        problems += [_problem(model, e, layers) for e in errors if e["type"] != "too_short" or _key(e) not in told]
        return None


def _problem(model: type[Section], error: ErrorDetails, layers: Sequence[Layer]) -> Problem:
    key = _key(error)
    if error["type"] == "missing":
        return _not_set(model, key)
    origin, dotted = origin_of(key, layers), ".".join(key)
    if error["type"] == "refused":
        return Problem(origin, dotted, error["msg"], error["ctx"]["remedy"])
    flag = next((flag for flag in flags(model) if flag.key == key), None)
    meaning = flag.help if flag else "a section: write its settings below it, indented"
    message = error["msg"][:1].lower() + error["msg"][1:]
    return Problem(origin, dotted, f"{message}, found {error['input']!r}", f"it is {meaning}")


def _key(error: ErrorDetails) -> Key:
    return tuple(part for part in error["loc"] if isinstance(part, str))


def _not_set(model: type[Section], key: Key) -> Problem:
    flag = next(flag for flag in flags(model) if flag.key == key)
    in_file = f" or `{'.'.join(key)}` in a config file" if issubclass(model, JobSettings) else ""
    by_flag = f"{flag.spelling} {flag.metavar}" if flag.spelling.startswith("-") else flag.metavar
    return Problem("config files and flags", ".".join(key), "is not set", f"give {by_flag}{in_file}: {flag.help}")
