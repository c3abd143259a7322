"""The files of ``conf/``: recipes, descriptions and settings, with the user's overlay; and the folders of downloads."""

import argparse
import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from cqa_spark.errors import ConfigError
from cqa_spark.settings.suggestions import known_names
from cqa_spark.settings.yaml import YamlError, named_files, read_yaml


def project_root() -> Path:
    """Return the folder that contains ``conf/``.

    This is the environment variable ``CQA_HOME``, else the installed package, because a wheel contains ``conf/``, else
    the checkout. ``spark-submit.sh`` sets ``CQA_HOME``, because a cluster imports the package from a zip file.
    """
    if named := os.environ.get("CQA_HOME"):
        return Path(named)
    package = _package()
    return package if (package / "conf").is_dir() else package.parent


def jars_folder() -> Path:
    """Return the folder of the jars: ``.jars/`` beside ``conf/``, or the user's cache for an installed package."""
    root = project_root()
    return cache_folder() / "jars" if root == _package() else root / ".jars"


def models_folder() -> Path:
    """Return the folder of embedding models other than the default one, beside that of the jars."""
    root = project_root()
    return cache_folder() / "models" if root == _package() else root / ".models"


def drivers_folder() -> Path:
    """Return the folder of JDBC drivers of databases, beside that of the jars."""
    root = project_root()
    return cache_folder() / "drivers" if root == _package() else root / ".drivers"


def cache_folder() -> Path:
    """Return the folder in the user's cache: ``$XDG_CACHE_HOME/cqa-spark``, or ``~/.cache/cqa-spark``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cqa-spark"


def _package() -> Path:
    return Path(str(files("cqa_spark"))).resolve()


Description = TypeVar("Description", bound=BaseModel)

OVERLAY = "CQA_OVERLAY"
"""Environment variable with folders and recipes, separated as in ``PATH``; ``cqa --overlay`` puts one before them."""


def lay_over(path: Path | str) -> None:
    """Lay a folder or a recipe over the files of the project, and over what lies there, for this process.

    Args:
        path: a folder like ``conf/``, or a recipe.

    Raises:
        ConfigError: there is no such folder or file.
    """
    if not Path(path).exists():
        raise ConfigError(f"there is no {path}", "name a folder like conf/, or a recipe, NAME.yaml")
    others = [other for other in os.environ.get(OVERLAY, "").split(os.pathsep) if other not in ("", str(path))]
    os.environ[OVERLAY] = os.pathsep.join([str(path), *others])


def conf_files(folder: str) -> dict[str, Path]:
    """The YAML files of a folder of ``conf/`` by name, in alphabetical order; those of the user replace ours.

    Args:
        folder: such as ``systems``.
    """
    files = named_files(project_root() / "conf" / folder)
    for laid in reversed(_overlay()):
        if laid.is_dir():
            files |= named_files(laid / folder)
        elif folder == "systems":
            files[laid.stem] = laid
    return dict(sorted(files.items()))


def read_conf_file(described: type[Description], folder: str, name: str, kind: str) -> Description:
    """Read and check a description, ``conf/FOLDER/NAME.yaml``, whose ``name`` is that of the file.

    Args:
        described: what the file describes.
        folder: such as ``datasets``.
        name: the file's name without ``.yaml``.
        kind: what is described, for messages.

    Raises:
        ConfigError: there is no such file, or it has mistakes; all of them are listed.
    """
    files = conf_files(folder)
    if name not in files:
        raise ConfigError(f"unknown {kind} {name}", known_names(name, files, "names"))
    try:
        description = described.model_validate(read_yaml(files[name]).value)
    except ValidationError as error:
        raise ConfigError(
            f"{files[name]} is invalid:{all_mistakes(error)}", f"the files in conf/{folder} are examples"
        ) from None
    if (stated := getattr(description, "name")) != name:  # noqa: B009
        raise ConfigError(f"{files[name]}: name is {stated}", f"name the {kind} like its file")
    return description


def all_mistakes(error: ValidationError) -> str:
    """The mistakes of a description, each on a line of its own, with what to do where a check says it."""
    lines = []
    for mistake in error.errors():
        remedy = mistake.get("ctx", {}).get("remedy")
        key = ".".join(map(str, mistake["loc"])) or "the file"
        lines.append(f"\n  - {key}: {mistake['msg']}{f'; {remedy}' if remedy else ''}")
    return "".join(lines)


def conf_file(name: str) -> Path:
    """A file of ``conf/``, such as ``base.yaml``, or that of the user in its place."""
    laid = [folder / name for folder in _overlay() if (folder / name).is_file()]
    return next(iter(laid), project_root() / "conf" / name)


def origin_of(path: Path) -> str:
    """Where a file of ``conf_files`` comes from: ``cqa-spark``, or its path."""
    return "cqa-spark" if path.is_relative_to(project_root()) else str(path)


def _overlay() -> list[Path]:
    """What lies over the project's files, the uppermost first.

    Raises:
        ConfigError: a folder or file is not there.
    """
    paths = [Path(path) for path in os.environ.get(OVERLAY, "").split(os.pathsep) if path]
    if missing := [str(path) for path in paths if not path.exists()]:
        raise ConfigError(f"{OVERLAY} names {missing[0]}, which is not there", "correct it, or unset it")
    return paths


JOB = "job"
"""Key of a config file of ``cqa run`` that names the job to run in its place."""


def named_job(arguments: Sequence[str]) -> str | None:
    """The job that the ``--config`` files name, by the last file that names one; None if none does.

    Files that cannot be read are left to the job, which reports them with all other problems.

    Args:
        arguments: the command line after the command.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config", action="append", default=[])
    try:
        files = parser.parse_known_args(list(arguments))[0].config
    except argparse.ArgumentError:
        return None
    named = None
    for file in files:
        try:
            value = read_yaml(config_file(file)).value
        except YamlError:
            continue
        named = value.get(JOB, named) if isinstance(value, dict) else named
    return None if named is None else str(named)


def config_file(name: str) -> Path:
    """A ``--config`` file: that of the project for ``conf/NAME.yaml``, unless the working directory has one."""
    path, own = Path(name), project_root() / name
    return own if name.startswith("conf/") and own.is_file() and not path.exists() else path
