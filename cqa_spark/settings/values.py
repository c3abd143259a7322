"""Types of the values of settings."""

import errno
import glob
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ByteSize, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError

from cqa_spark.errors import CqaError
from cqa_spark.settings.conf_files import lay_over
from cqa_spark.settings.research_data import DATA, data_folder, locate

Checks = Mapping[str, Callable[[Any], object]]
"""By kind of name (system, measure, task, …), a function that raises a CqaError for an unknown name; for the kind
``systems of a run``, one that raises it for names of systems that cannot run together."""

IR_DATASETS = "irds:"
"""Prefix of an id in the catalogue of ir_datasets that stands for a file, such as ``irds:antique/test``."""

SAMPLE = Path("build/sample")
"""The folder of the generated dumps that conf/demo.yaml reads."""


@dataclass(frozen=True)
class Shown:
    """How a value is shown.

    Attributes:
        metavar: its placeholder in the help text.
        kind: the kind of names that it is one of, which shells complete; empty for others.
    """

    metavar: str
    kind: str = ""


@dataclass(frozen=True)
class NotHashed:
    """Marks a setting that does not affect results and is not part of the config hash."""


@dataclass(frozen=True)
class Positional:
    """Marks a setting that is a positional argument on the command line."""


def refused(what: str, remedy: str) -> PydanticCustomError:
    """The error of a validator, with problem and remedy."""
    return PydanticCustomError("refused", "{what}", {"what": what, "remedy": remedy})


def is_remote(location: str) -> bool:
    """Whether a location has a scheme, such as ``s3a://…``."""
    return "://" in location


_ONE_SLASH = re.compile(rf"(?P<scheme>(?!{DATA})[A-Za-z][A-Za-z0-9+.-]+):(?P<path>/(?!/).*)", re.DOTALL)
"""An address with a slash too few, which would name a folder of this machine; drives of Windows have one letter."""


def _checked(kind: str) -> AfterValidator:
    """Validate a name, or names, with the check of their kind, if there is one."""

    def check(name: Any, info: ValidationInfo) -> Any:
        checks: Checks = info.context or {}
        if kind in checks:
            try:
                checks[kind](name)
            except CqaError as error:
                raise refused(error.problem, error.remedy) from error
        return name

    return AfterValidator(check)


def _without_secrets(location: str) -> str:
    """Refuse locations with credentials, which would appear in logs, tables and reports.

    An address ``file:///PATH``, or ``file:/PATH`` as Hadoop writes it, is the path, so that local files have one form.
    """
    scheme, _, rest = location.partition("://")
    if single := _ONE_SLASH.match(location):
        if single["scheme"] == "file":
            return single["path"]
        raise refused(
            f"{location} has one slash behind {single['scheme']}:",
            f"write {single['scheme']}:/{single['path']}, or ./{location} for a path of this machine",
        )
    if is_remote(location) and "@" in rest.partition("/")[0]:
        raise refused("the location contains credentials", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    return rest if scheme == "file" else location


def _no_folder(location: str) -> str:
    """Refuse a file whose name is that of a folder."""
    if not is_remote(location) and Path(location).is_dir():
        raise refused(f"{location} is a folder", "give the name of a file in it")
    return location


def _no_file(location: str) -> str:
    """Refuse a folder whose name is that of a file."""
    if not is_remote(location) and Path(location).exists() and not Path(location).is_dir():
        raise refused(f"{location} is a file", "give the name of a folder")
    return location


def _below_a_folder(location: str) -> str:
    """Refuse a local output whose nearest existing folder is none, or may not be written by this user."""
    if is_remote(location):
        return location
    path = Path(location).absolute()
    existing = next(folder for folder in (path, *path.parents) if folder.exists() and (folder != path or path.is_dir()))
    if not existing.is_dir():
        raise refused(f"{existing} is a file, not a folder", "give a path below a folder")
    if not os.access(existing, os.W_OK | os.X_OK) or not _takes_files(existing):
        raise refused(f"{existing} cannot be written", "give a path where this user may write")
    return location


def _takes_files(folder: Path) -> bool:
    """Whether a file without a name can be made; ``/proc`` grants it to a superuser and then refuses."""
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)  # whoever writes says how much space there is


def _of_lake(location: str) -> str:
    """Refuse a path that Delta's log cannot be written at, and a local one that cannot be created."""
    if wrong := _UNUSABLE_IN_LAKE.search(location):
        raise refused(
            f"the path {location!r} has the character {wrong[0]!r}, which Delta tables cannot have in their path",
            "name a folder without it: --lake FOLDER",
        )
    path = Path(location).absolute()
    if location and not is_remote(location) and not os.path.lexists(path):
        existing = next(folder for folder in path.parents if folder.exists())
        if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK) and not _takes_files(existing):
            raise refused(f"{location} cannot be created: {existing} takes no files", "name another --lake")
    return location


_UNUSABLE_IN_LAKE = re.compile(r"[%\\\x00-\x1f\x7f]")
"""``deltalake`` decodes per cent signs, takes backslashes for slashes, and leaves out line ends and tabs."""


def _of_data_folder(location: str) -> str:
    """Replace ``data:PATH`` by the file of the data folder."""
    if not location.startswith(DATA):
        return location
    path = location.removeprefix(DATA)
    if is_remote(data_folder()):
        return f"{data_folder().rstrip('/')}/{path}"
    file = locate(Path(data_folder()), path)
    if not file.exists():
        raise refused(
            f"file not found: {file}",
            "set CQA_DATA to the folder of the data; cqa data list, and cqa data where NAME, say where it comes from",
        )
    return str(file)


def _must_exist(location: str) -> str:
    """Refuse a missing local path; remote locations are checked by the job."""
    if is_remote(location) or Path(location).exists() or glob.glob(location):
        return location
    remedy = f"give an existing file, folder or pattern, relative to the working directory {Path.cwd()}"
    if SAMPLE in Path(location).parents:
        remedy = f"run cqa demo, which generates it below the working directory {Path.cwd()}"
    raise refused(f"file not found: {location}", remedy)


def _must_exist_or_be_listed(location: str) -> str:
    """Accept ids of ir_datasets without a look at its catalogue, which takes seconds to import."""
    return location if location.startswith(IR_DATASETS) else _must_exist(location)


def one_or_many(value: Any) -> Any:
    """Accept a single value for a list."""
    return (value,) if isinstance(value, str) else value


def _laid_recipe(name: Any) -> Any:
    """Lay a recipe that is named by its file over those of the project, and use its name."""
    if not (isinstance(name, str) and name.endswith(".yaml") and Path(name).is_file()):
        return name
    lay_over(name)
    return Path(name).stem


def _with_unit(size: Any) -> Any:
    """Refuse a number of bytes without a unit, which is more often a forgotten unit than a file of a few bytes."""
    if str(size).strip().isdecimal():
        number = str(size).strip()
        raise refused(f"{number} has no unit", f"write {number}GB, {number}MB, or {number}B for bytes")
    return size


Address = Annotated[str, AfterValidator(_without_secrets), _checked("object store")]
Location = Annotated[Address, StringConstraints(min_length=1), Shown("PATH")]
OutputFile = Annotated[Location, AfterValidator(_no_folder), AfterValidator(_below_a_folder)]
Folder = Annotated[Location, AfterValidator(_no_file)]
LakeFolder = Annotated[Folder, AfterValidator(_of_lake)]
OptionalFolder = Annotated[Address, AfterValidator(_no_file), Shown("PATH")]
OptionalLakeFolder = Annotated[OptionalFolder, AfterValidator(_of_lake)]
OutputFolder = Annotated[Folder, AfterValidator(_below_a_folder)]
InputFile = Annotated[Address, AfterValidator(_of_data_folder), AfterValidator(_must_exist), Shown("FILE")]
JudgmentsFile = Annotated[
    Address, AfterValidator(_of_data_folder), AfterValidator(_must_exist_or_be_listed), Shown("FILE")
]
InputFiles = Annotated[tuple[InputFile, ...], BeforeValidator(one_or_many)]
# Names of folders and objects contain the run id and suffixes; file names have at most 255 bytes.
RunName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100), Shown("ID")]

Size = Annotated[ByteSize, BeforeValidator(_with_unit), Shown("SIZE")]

FormatName = Annotated[str, _checked("source format"), Shown("NAME")]
DataPackageName = Annotated[str, _checked("package of data"), Shown("NAME")]
DataSetName = Annotated[str, _checked("data set"), Shown("NAME")]
PublishedTableName = Annotated[str, _checked("published table"), Shown("NAME", "published table")]
EmbeddingModelName = Annotated[str, _checked("embedding model"), Shown("NAME")]
CorpusName = Annotated[str, _checked("corpus"), Shown("NAME")]
TaskName = Annotated[str, _checked("task"), Shown("NAME", "task")]
GroupName = Annotated[str, _checked("feature group"), Shown("NAME", "feature group")]
SystemName = Annotated[str, BeforeValidator(_laid_recipe), _checked("system"), Shown("NAME", "system")]
MeasureName = Annotated[str, _checked("measure"), Shown("NAME", "measure")]
GroupNames = Annotated[tuple[GroupName, ...], BeforeValidator(one_or_many)]
SystemNames = Annotated[tuple[SystemName, ...], BeforeValidator(one_or_many)]
RunSystemNames = Annotated[SystemNames, _checked("systems of a run")]
MeasureNames = Annotated[tuple[MeasureName, ...], BeforeValidator(one_or_many)]


MAX_BYTES = 80
"""Of a site name: a partition's folder is ``site=NAME``, escaping triples bytes, and file names have at most 255."""

ALLOWED = f"a site name has 1 to {MAX_BYTES} bytes of UTF-8, without control characters, line breaks, "
ALLOWED += "and spaces at either end"

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""Spark's folder name for a partition whose value is null."""

_FORBIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode categories: control characters, surrogates, line separators and paragraph separators."""


def site_problem(name: str) -> str | None:
    """Explain why a text is not a valid site name.

    Args:
        name: the text.

    Returns:
        The problem; None for a valid name.
    """
    forbidden = next((character for character in name if unicodedata.category(character) in _FORBIDDEN), None)
    if forbidden is not None:
        return f"the site name {name!r} contains the character U+{ord(forbidden):04X}"
    if name != name.strip():
        return f"the site name {name!r} starts or ends with a space"
    if not name:
        return "the site name is empty"
    if name == NO_VALUE:
        return f"Spark and Hive read {name} as a missing value"
    if len(name.encode()) > MAX_BYTES:
        return f"the site name {name!r} has {len(name.encode())} bytes"
    return None


def _site_name(name: str) -> str:
    problem = site_problem(name)
    if problem is not None:
        raise refused(problem, ALLOWED)
    return name


def _folder_name(name: str) -> str:
    if "/" in name or name in (".", ".."):
        raise refused(f"the site name {name!r} cannot name a folder", "give a name without a slash")
    return name


SiteName = Annotated[str, AfterValidator(_site_name), Shown("NAME")]
SiteFolderName = Annotated[SiteName, AfterValidator(_folder_name)]
