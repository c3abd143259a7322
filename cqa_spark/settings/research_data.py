"""Packages of research data, ``conf/data/NAME.yaml``, and where their files lie on this machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from cqa_spark.settings.conf_files import cache_folder, conf_files, read_conf_file

DATA = "data:"
"""Prefix of a path in the data folder, such as ``data:askubuntu/askubuntu_noclue_val.tsv``."""


class PackageFile(BaseModel):
    """A file of a package, or one that stands in for it.

    Attributes:
        about: how it differs from the official file; empty for that file itself.
        counts: number of ``lines``, or of XML elements by name; empty if unknown.
        sha256: of a copy with these counts, hexadecimal; empty if no copy was at hand.
        stand_ins: files that serve in its place, by name; one without counts is the same file under another name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = ""
    counts: Mapping[str, int] = Field(default_factory=dict)
    sha256: str = Field(default="", pattern="^([0-9a-f]{64})?$")
    stand_ins: Mapping[str, PackageFile] = Field(default_factory=dict)


class DataPackage(BaseModel):
    """Files that are published together.

    Attributes:
        name: the description's name without ``.yaml``.
        about: official name and version.
        address: page that publishes them.
        downloads: addresses of archives.
        licence: terms of use; ``unknown`` if the package was not at hand.
        citation: publication to cite.
        files: the files by path below the data folder.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    about: str
    address: str
    downloads: tuple[str, ...] = ()
    licence: str
    citation: str
    files: Mapping[str, PackageFile]


def read_package(name: str) -> DataPackage:
    """Read and check the description of a package.

    Raises:
        ConfigError: there is no such package, or its description has mistakes.
    """
    return read_conf_file(DataPackage, "data", name, "package of data")


def data_folder() -> str:
    """The folder of research data: the environment variable ``CQA_DATA``, else ``data`` in the user's cache."""
    return os.environ.get("CQA_DATA") or str(cache_folder() / "data")


def locate(folder: Path, path: str) -> Path:
    """The file at a path of the data folder, wherever its package was unpacked below the folder.

    A file is looked for by its path, then by the names of its stand-ins beside it, then by these names anywhere below
    the folder, the official one first. Files whose name several packages or years have are not looked for elsewhere.

    Args:
        folder: a local folder.
        path: path below the data folder.

    Returns:
        The file that was found; ``folder / path`` if there is none.

    Raises:
        OSError: the file was not found, and a folder cannot be listed.
    """
    names, unlisted = file_names(path), list[OSError]()
    for name in names:
        if (beside := (folder / path).with_name(name)).exists():
            return beside
    if path in _described() and Counter(Path(other).name for other in _described())[names[0]] == 1:
        for name in names:
            for parent, _, files in sorted(os.walk(folder, onerror=unlisted.append)):
                if name in files:
                    return Path(parent, name)
    if unlisted and folder.exists():
        raise unlisted[0]
    return folder / path


def file_names(path: str) -> list[str]:
    """The name of a file of the data folder, and those of its stand-ins."""
    described = _described().get(path)
    return [Path(path).name, *(described.stand_ins if described else ())]


def _described() -> dict[str, PackageFile]:
    """Every described file by path."""
    return {path: file for read in _packages(tuple(conf_files("data").items())) for path, file in read.files.items()}


@cache
def _packages(descriptions: tuple[tuple[str, Path], ...]) -> tuple[DataPackage, ...]:
    return tuple(read_package(name) for name, _ in descriptions)
