"""Finds the files of dumps: a file's name tells its table, its folder's or archive's name the site."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePath, PurePosixPath

from cqa_spark.corpora.inputs import HIDDEN, exists, files_below, has_wildcards, matching_paths
from cqa_spark.corpora.stackexchange.tables import BY_FILE, DumpTable
from cqa_spark.errors import InputError
from cqa_spark.object_store.locations import find_files
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import ALLOWED, is_remote, site_problem

# Compressed files are read as streams; archives are unpacked first.
FILE_NAME = re.compile(r"(?P<table>[a-z]+)\.xml(?P<packing>\.gz|\.bz2|\.zst)?", re.IGNORECASE)
ARCHIVE_NAME = re.compile(r"(?P<name>.+)\.(?:7z|zip)", re.IGNORECASE)
UNREAD_ARCHIVES = (
    (re.compile(r".+\.(?:tar|tgz|tbz2?|txz|tar\.(?:gz|bz2|xz|zst))", re.IGNORECASE), "tar -xf {}"),
    (re.compile(r".+\.(?:7z|zip)\.001", re.IGNORECASE), "7z x {}, which reads the other volumes, too"),
    (re.compile(r".+\.rar", re.IGNORECASE), "7z x {}"),
)
"""Archives that are not read, with the command that unpacks them."""

TABLE_OF_ARCHIVE = re.compile(rf"(?P<site>.+)-(?P<table>{'|'.join(BY_FILE)})", re.IGNORECASE)
WITH_DELETED = "postswithdeleted"
"""The file that takes the place of Posts.xml in the dumps of closed sites, with the deleted posts."""

HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}", re.IGNORECASE)


@dataclass(frozen=True)
class DumpFile:
    """One file of a dump.

    Attributes:
        path: its path, local or ``s3a://…``.
        site: the community.
        dump_table: the kind of its rows.
        dump: folder of the dump; it identifies one of several dumps of a site, and sorts by time.
        packing: the end of a compressed file's name, ``.gz``, ``.bz2`` or ``.zst``; empty for text.
    """

    path: str
    site: str
    dump_table: DumpTable
    dump: str
    packing: str = ""


def is_archive(path: str) -> bool:
    """Whether a file must be unpacked before it can be read."""
    return ARCHIVE_NAME.fullmatch(PurePosixPath(path).name) is not None


def is_dump_table(name: str) -> bool:
    """Whether a file is named like a table of a dump."""
    match = FILE_NAME.fullmatch(name)
    return match is not None and _table_named(match["table"]) is not None


def find_archives(paths: Iterable[str], storage: ObjectStorageSettings | None = None) -> list[str]:
    """Find the archives in the given paths, searching folders.

    Args:
        paths: files, folders and patterns of either, local or ``s3a://…``.
        storage: object storage settings; None for Amazon S3.

    Raises:
        InputError: a path does not exist.
    """
    return [file for path in paths for file in _files_of(path, storage) if is_archive(file)]


def find_dump_files(
    paths: Iterable[str], site: str | None = None, storage: ObjectStorageSettings | None = None
) -> list[DumpFile]:
    """Find the files of dumps in the given paths, searching folders; sorted by site, dump and table.

    Args:
        paths: files, folders and patterns of either, local or ``s3a://…``; other files in the folders are ignored.
        site: the site of all files; None for the name of a folder, as ``site_of`` finds it.
        storage: object storage settings; None for Amazon S3.

    Raises:
        InputError: a path does not exist or cannot be read, a folder contains no dump or an archive that is not read,
            or names no site.
    """
    dump_files: list[DumpFile] = []
    for path in paths:
        files = list(_files_of(path, storage))
        _refuse_unread_archives(files)
        in_path = [dump_file for dump_file in (_dump_file(file, site) for file in files) if dump_file is not None]
        if not in_path and not any(map(is_archive, files)):
            names = ", ".join(f"{table.file}.xml" for table in BY_FILE.values())
            raise InputError(f"no file of a Stack Exchange dump in {path}", f"name a folder or files, such as: {names}")
        dump_files += in_path
    return sorted(dump_files, key=lambda file: (file.site, file.dump, file.dump_table.file))


def of_archive(tables: Iterable[str], archive: str, site: str | None = None) -> list[DumpFile]:
    """The files unpacked from an archive; the archive's name contains the site.

    Args:
        tables: the unpacked tables, local files or ``s3a://…``.
        archive: ``SITE.7z``, ``SITE-TABLE.7z`` or ``SITE/TABLE.7z``.
        site: the site, if the user names it.

    Raises:
        InputError: the archive's name is not a valid site.
    """
    name = ARCHIVE_NAME.fullmatch(PurePosixPath(archive).name)
    assert name is not None
    stem = name["name"]
    by_table = TABLE_OF_ARCHIVE.fullmatch(stem)
    if by_table:
        named = by_table["site"]
    elif _table_named(stem) is not None:
        named = site_of(archive)
    else:
        named = stem
    archive_site = site or _usable(named, archive)
    files = []
    for path in sorted(tables):
        match = FILE_NAME.fullmatch(PurePosixPath(path).name)
        table = _table_named(match["table"]) if match else None
        if table is not None:
            files.append(DumpFile(path, archive_site, table, _folder_of(archive)))
    return files


def rounds(files: Sequence[DumpFile]) -> list[list[DumpFile]]:
    """Group files into rounds: the first dump of every site, then the second of sites with several, and so on.

    Raises:
        InputError: a dump has a table twice.
    """
    _refuse_repeats(files)
    by_site: dict[str, dict[str, list[DumpFile]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        by_site[file.site][file.dump].append(file)
    rounds_of_files: list[list[DumpFile]] = []
    for by_dump in by_site.values():
        for number, dump in enumerate(sorted(by_dump)):
            if number == len(rounds_of_files):
                rounds_of_files.append([])
            rounds_of_files[number] += by_dump[dump]
    return rounds_of_files


def _dump_file(path: str, site: str | None) -> DumpFile | None:
    match = FILE_NAME.fullmatch(PurePosixPath(path).name)
    table = _table_named(match["table"]) if match else None
    if match is None or table is None:
        return None
    if not is_remote(path) and not os.access(path, os.R_OK):
        raise InputError(f"cannot read {path}", "give the user that runs the job read access to it")
    return DumpFile(
        path, site or _usable(site_of(path), path), table, _folder_of(path), (match["packing"] or "").lower()
    )


def _folder_of(path: str) -> str:
    """The folder as a canonical path, because the files of a folder form one dump."""
    return path.rpartition("/")[0] if is_remote(path) else os.path.abspath(Path(path).parent)


def _table_named(stem: str) -> DumpTable | None:
    """The kind of the rows of a file, by its name without extension."""
    return BY_FILE.get("posts" if stem.lower() == WITH_DELETED else stem.lower())


def site_of(path: str) -> str:
    """The site that a file's folder is named after.

    It is the nearest folder whose name looks like a host's, if all folders between have a number in their names, as
    those of several dumps of a site have: ``beer.stackexchange.com/2016-09/Posts.xml``. Without a host, it is the
    file's own folder.

    Raises:
        InputError: other folders are between, so the host may be the name of anything, such as a user or a backup, and
            two sites would become one.
    """
    # The parts of an address before the bucket are no folders, and a bucket is no host if another folder may be meant.
    folders = list(PurePosixPath(path).parents)[:-2] if is_remote(path) else list(Path(path).absolute().parents)
    between = list(takewhile(lambda folder: not HOST.fullmatch(folder.name), folders))
    if len(between) == len(folders):
        return folders[0].name
    host = folders[len(between)].name
    if unnumbered := [folder.name for folder in between if not re.search(r"\d", folder.name)]:
        if is_remote(path) and len(between) == len(folders) - 1:
            return folders[0].name
        raise InputError(
            f"{path}: its site may be {unnumbered[0]} or {host}, because both are names of folders",
            f"name the site with --site, or give its folder the name of a host, such as {unnumbered[0]}.example.org; "
            "folders of several dumps of one site have a date or a number in their names",
        )
    return host


def _usable(site: str, path: str) -> str:
    problem = site_problem(site)
    if problem is not None:
        raise InputError(f"{path}: {problem}", f"give another one with --site NAME; {ALLOWED}")
    return site


def _files_of(path: str, storage: ObjectStorageSettings | None) -> Iterator[str]:
    if is_remote(path):
        locations = [file.location for file in find_files(path, storage or ObjectStorageSettings())]
        if not locations:
            raise InputError(f"no such file or folder: {path}", "check the address")
        yield from (location for location in locations if not _hidden(PurePosixPath(location)))
        return
    # A path that exists is no pattern, whatever its name.
    named = []
    if exists(Path(path)):
        named = [Path(path)]
    elif has_wildcards(path):
        named = matching_paths(path)
    if not named:
        raise InputError(f"no such file or folder: {path}", f"check the path; relative paths start at {Path.cwd()}")
    for file_or_folder in named:
        if file_or_folder.is_dir():
            yield from (str(file) for file in files_below(file_or_folder) if not _hidden(file))
        else:
            yield str(file_or_folder)


def _hidden(path: PurePath) -> bool:
    """Whether Spark would skip the file."""
    return path.name.startswith(HIDDEN)


def _refuse_unread_archives(paths: Iterable[str]) -> None:
    for path in paths:
        for name, command in UNREAD_ARCHIVES:
            if name.fullmatch(PurePosixPath(path).name):
                raise InputError(
                    f"{path} is an archive that is not read; .7z and .zip are",
                    f"unpack it into a folder that is named after its site: {command.format(path)}",
                )


def _refuse_repeats(files: Sequence[DumpFile]) -> None:
    seen: dict[tuple[str, str, str], DumpFile] = {}
    for file in files:
        key = (file.site, file.dump, file.dump_table.file)
        if key in seen:
            raise InputError(
                f"the dump of {file.site} has {file.dump_table.file} twice: {seen[key].path} and {file.path}",
                "name one of them, or ingest each site separately with --site",
            )
        seen[key] = file
