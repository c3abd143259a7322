"""The kinds of values that settings hold, beyond what Python's types say."""

from __future__ import annotations

import glob
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError

from cqa_spark.errors import CqaError

Checks = Mapping[str, Callable[[str], object]]
"""For each kind of name (system, measure, task, …) a function that raises a CqaError for an unknown one."""


@dataclass(frozen=True)
class Shown:
    """How a value is called in the help text of its flag."""

    metavar: str


@dataclass(frozen=True)
class NotHashed:
    """Marks a setting that does not change any figure, and so has no part in the config hash."""


@dataclass(frozen=True)
class Positional:
    """Marks a setting that the command line gives by its place, without a flag."""


def refused(what: str, remedy: str) -> PydanticCustomError:
    """The error that a validator raises to say both what is wrong and what to do."""
    return PydanticCustomError("refused", "{what}", {"what": what, "remedy": remedy})


def is_remote(location: str) -> bool:
    """Whether a location names its storage, such as ``s3a://…``."""
    return "://" in location


def _checked(kind: str) -> AfterValidator:
    """Validate a name with the check of its kind, where the caller gave one."""

    def check(name: str, info: ValidationInfo) -> str:
        checks: Checks = info.context or {}
        if kind in checks:
            try:
                checks[kind](name)
            except CqaError as error:
                raise refused(error.problem, error.remedy) from error
        return name

    return AfterValidator(check)


def _without_credentials(location: str) -> str:
    """Refuse addresses that hold a password: they stand in logs, tables and reports."""
    if is_remote(location) and "@" in location.partition("://")[2].partition("/")[0]:
        raise refused("the address holds credentials", "give them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    return location


def _must_exist(location: str) -> str:
    """Refuse a local path that is not there; remote storage is asked by the job itself."""
    if is_remote(location) or Path(location).exists() or glob.glob(location):
        return location
    raise refused(
        f"there is no {location}",
        f"give a file, a folder or a pattern that exists, seen from the working directory {Path.cwd()}",
    )


def one_or_many(value: Any) -> Any:
    """A list of values also where a file gives one alone."""
    return (value,) if isinstance(value, str) else value


Address = Annotated[str, AfterValidator(_without_credentials)]
Location = Annotated[Address, StringConstraints(min_length=1), Shown("PATH")]
InputFile = Annotated[Address, AfterValidator(_must_exist), Shown("FILE")]
InputFiles = Annotated[tuple[InputFile, ...], BeforeValidator(one_or_many)]
RunName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$"), Shown("ID")]

CorpusName = Annotated[str, _checked("corpus"), Shown("NAME")]
TaskName = Annotated[str, _checked("task"), Shown("NAME")]
GroupName = Annotated[str, _checked("feature group"), Shown("NAME")]
SystemName = Annotated[str, _checked("system"), Shown("NAME")]
MeasureName = Annotated[str, _checked("measure"), Shown("NAME")]
GroupNames = Annotated[tuple[GroupName, ...], BeforeValidator(one_or_many)]
SystemNames = Annotated[tuple[SystemName, ...], BeforeValidator(one_or_many)]
MeasureNames = Annotated[tuple[MeasureName, ...], BeforeValidator(one_or_many)]
