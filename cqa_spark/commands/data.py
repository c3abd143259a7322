"""``cqa data``: where packages of research data come from, and whether the files of a folder are theirs."""

import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from cqa_spark.commands.catalogue import CatalogueSettings
from cqa_spark.commands.jobs import Job
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.settings.conf_files import conf_files
from cqa_spark.settings.datasets import read_data_set
from cqa_spark.settings.research_data import DataPackage, PackageFile, data_folder, locate, read_package
from cqa_spark.settings.values import DataPackageName, OptionalFolder, Positional


class DataWhereSettings(CatalogueSettings):
    """Show a package of research data: official name, address, licence, and where its files lie in a folder."""

    examples = ("cqa data where semeval2016_task3",)

    name: Annotated[DataPackageName, Positional(), Field(description="package; see cqa data list")]
    folder: Annotated[OptionalFolder, Positional()] = Field(
        default="", description="local folder with the unpacked files; default: CQA_DATA, else data in the user's cache"
    )

    def reads(self) -> list[str]:
        """The folder."""
        return [self.folder or data_folder()]


class DataCheckSettings(DataWhereSettings):
    """Look for the files of a package in a folder, and say which are missing or differ from the official ones."""

    examples = ("cqa data check semeval2016_task3 semeval",)


def list_packages(settings: CatalogueSettings) -> None:
    """Print all packages of research data."""
    packages = [read_package(name) for name in conf_files("data")]
    if settings.format == "json":
        print(json.dumps([package.model_dump(mode="json", exclude_defaults=True) for package in packages], indent=2))
        return
    table = TextTable(
        Column("package", whole=True), number("files"), "official name", "licence",
        title="Research data", caption="addresses and citations: cqa data where NAME",
        rows=((data.name, str(len(data.files)), data.about, data.licence) for data in packages),
    )  # fmt: skip
    Terminal().table(table)


def show_package(settings: DataWhereSettings) -> None:
    """Print the addresses of a package, and where its files lie."""
    package, folder = read_package(settings.name), Path(settings.folder or data_folder())
    local_paths = {path: locate(folder, path) for path in package.files}
    if settings.format == "json":
        files = {path: str(local) if local.exists() else None for path, local in local_paths.items()}
        print(json.dumps(package.model_dump(mode="json", exclude={"files"}) | {"files": files}, indent=2))
        return
    facts = (
        ("published at", package.address),
        ("archives", "\n".join(package.downloads) or "unknown"),
        ("licence", package.licence),
        ("cite", package.citation),
        ("looked for in", str(folder)),
    )
    table = TextTable(Column("file", whole=True), "size", "lies in", title="Files")
    for path, file in package.files.items():
        counts = ", ".join(f"{count:,} {name}" for name, count in file.counts.items()) or "unknown"
        table.add_row(path, counts, str(local_paths[path]) if local_paths[path].exists() else "missing")
    Terminal().table(TextTable(Column("", whole=True), "", title=package.about, has_headings=False, rows=facts))
    Terminal().table(table)


def check_package(settings: DataCheckSettings) -> None:
    """Print a verdict on each file of a package.

    Raises:
        InputError: a file differs, or one that a data set needs is missing.
    """
    package, folder = read_package(settings.name), Path(settings.folder or data_folder())
    rows = checked_files(package, folder)
    if settings.format == "json":
        print(json.dumps([row._asdict() for row in rows], indent=2))
    else:
        columns = (Column(name, whole=True) for name in ("file", "verdict"))
        cells = ((row.file, row.verdict, row.note, ", ".join(row.used_by)) for row in rows)
        title = f"{package.name} in {folder}"
        Terminal().table(TextTable(*columns, "note", "needed by", title=title, rows=cells))
    missing = [row.file for row in rows if row.verdict == "missing" and row.used_by]
    differing = [row.place for row in rows if row.verdict == "differs"]
    if missing or differing:
        raise InputError(
            f"{folder} lacks {len(missing)} files of {package.name} that data sets need, and {len(differing)} differ",
            f"unpack the archives below that folder; cqa data where {package.name} says where they come from",
        )


Verdict = Literal["complete", "counts agree", "not checked", "differs", "missing"]


class CheckedFile(NamedTuple):
    """A file of a package, as a folder has it.

    Attributes:
        file: path below the data folder.
        verdict: ``complete`` if its SHA-256 is known, ``counts agree`` if only its number of elements or lines is that
            of the package, ``not checked`` if neither is known.
        place: where it lies; empty if it is missing.
        note: how it differs, or for what it stands in.
        used_by: data sets of ``cqa reproduce`` that need it.
    """

    file: str
    verdict: Verdict
    place: str
    note: str
    used_by: list[str]


def checked_files(package: DataPackage, folder: Path) -> list[CheckedFile]:
    """A verdict on each file of a package.

    Args:
        package: the package.
        folder: local folder in which it was unpacked.
    """
    used = {name: read_data_set(name).paths() for name in conf_files("datasets")}
    rows = []
    for path, file in package.files.items():
        # A data set names files, or folders with all their files.
        used_by = [
            name for name, paths in used.items() if any(f"{path}/".startswith(f"{used_path}/") for used_path in paths)
        ]
        local = locate(folder, path)
        if not local.exists():
            rows.append(CheckedFile(path, "missing", "", "", used_by))
            continue
        stand_in = file.stand_ins.get(local.name)
        described = stand_in if stand_in and stand_in.counts else file
        verdict, difference = _compared(local.read_bytes(), described)
        note = "; ".join(filter(None, (f"{local.name}: {described.about}" if described.about else "", difference)))
        rows.append(CheckedFile(path, verdict, str(local), note, used_by))
    return rows


def _compared(content: bytes, described: PackageFile) -> tuple[Verdict, str]:
    if described.sha256 == hashlib.sha256(content).hexdigest():
        return "complete", ""
    plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    counts = counts_of(plain, described.counts)
    if counts != described.counts:
        differences = [
            f"{count:,} {name} instead of {described.counts[name]:,}"
            for name, count in counts.items()
            if count != described.counts[name]
        ]
        return "differs", ", ".join(differences)
    return ("counts agree", "") if counts else ("not checked", "")


def counts_of(content: bytes, names: Mapping[str, int]) -> dict[str, int]:
    """The number of lines of a file, or of its XML elements with these names."""
    return {
        name: len(content.splitlines()) if name == "lines" else len(re.findall(rf"<{name}[\s/>]".encode(), content))
        for name in names
    }


JOBS = (
    Job(
        "data list",
        "list the packages of research data that recipes and settings use",
        "inspection",
        CatalogueSettings,
        list_packages,
    ),
    Job(
        "data where",
        "show where a package comes from, and where its files lie here",
        "inspection",
        DataWhereSettings,
        show_package,
    ),
    Job(
        "data check",
        "compare the files of a package with their counts and SHA-256",
        "inspection",
        DataCheckSettings,
        check_package,
    ),
)
