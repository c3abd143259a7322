"""Input files: finding them, their splits and sizes, and limits on what they unpack to."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch, fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO

from cqa_spark.errors import InputError
from cqa_spark.lake.run_log import InputRecord
from cqa_spark.object_store.locations import WILDCARDS, find_files, open_file
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote

DUMPS = "*.xml"
HIDDEN = (".", "_")
"""Starts of the names of files that Spark skips."""

PACKED = (".gz", ".bz2", ".zst")
"""Ends of the names of compressed files, whose size is not that of their text."""

USUAL_RATIO = 6
"""Bytes of XML for a byte of a compressed dump, for files that do not record it. Of three real sites, gzip has 4.1 to
4.2, bzip2 5.4 to 5.8, and LZMA 5.6 to 6.4."""


@dataclass(frozen=True)
class InputFile:
    """One dump to read.

    Attributes:
        path: local path, or an address such as ``s3a://BUCKET/…``.
        split: train, dev, test or unannotated.
        size: bytes, if listed; None for any other file.
    """

    path: str
    split: str
    size: int | None = None


def find_inputs(
    paths: Iterable[str | Path],
    split: str,
    storage: ObjectStorageSettings | None = None,
    *,
    patterns: Sequence[str] = (DUMPS,),
) -> list[InputFile]:
    """Resolve the user's paths into files, in the order given.

    A directory is replaced by its files of the format, sorted by name.

    Args:
        paths: files, directories or addresses.
        split: the split of all files.
        storage: object storage settings; None for Amazon S3.
        patterns: name patterns of the files to read from a directory, in lower case.

    Raises:
        InputError: a file is missing or unreadable, or a directory contains none of the format.
    """
    inputs: list[InputFile] = []
    for path in map(str, paths):
        if is_remote(path):
            inputs += _expand_remote(path, split, storage or ObjectStorageSettings(), patterns)
        else:
            inputs += [InputFile(file, split) for file in _expand(path, patterns)]
    return inputs


def refuse_repeated_paths(inputs: Sequence[InputFile]) -> None:
    """Refuse a repeated file, because its threads would count twice.

    Raises:
        InputError: a path occurs more than once.
    """
    repeated = [path for path, count in Counter(file.path for file in inputs).items() if count > 1]
    if repeated:
        raise InputError(f"named more than once as input: {', '.join(repeated)}", "name each file once")


def _expand_remote(path: str, split: str, storage: ObjectStorageSettings, patterns: Sequence[str]) -> list[InputFile]:
    files = find_files(path, storage)
    if not files:
        raise InputError(f"no such file or folder: {path}", "check the address")
    wanted = [file for file in files if file.location == path or _is_named_like(file.location, patterns)]
    if not wanted:
        raise InputError(f"no {' or '.join(patterns)} file in {path}", "name the folder that holds the dumps")
    return [InputFile(file.location, split, file.size) for file in wanted]


def _is_named_like(location: str, patterns: Sequence[str]) -> bool:
    name = PurePosixPath(location).name.lower()
    return any(fnmatch(name, pattern) for pattern in patterns)


def exists(path: Path) -> bool:
    """Whether something is at a local path.

    Raises:
        InputError: a folder above it cannot be searched, so nobody knows.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _cannot_read(path, error) from error
    return True


def files_below(folder: Path) -> list[Path]:
    """The local files in a folder and in the folders below it, sorted; links to folders are not followed.

    Raises:
        InputError: one of the folders cannot be read. What is hidden, or the file system's own, may be unreadable.
    """

    def refuse(error: OSError) -> None:
        name = Path(error.filename).name
        if error.filename == str(folder) or not (name.startswith(HIDDEN) or name == "lost+found"):
            raise _cannot_read(error.filename, error) from error

    paths = [Path(parent, name) for parent, _, names in os.walk(folder, onerror=refuse) for name in names]
    # A link to nothing stays: who opens it says so.
    return sorted(path for path in paths if path.is_symlink() or path.is_file())


def matching_paths(pattern: str) -> list[Path]:
    """The local paths that a pattern of the shell matches, sorted; ``*`` matches no leading dot.

    Raises:
        InputError: a folder that may contain matches cannot be read.
    """
    first, *parts = Path(pattern).parts
    paths = [Path()] if has_wildcards(first) else [Path(first)]
    for part in [first, *parts] if has_wildcards(first) else parts:
        if has_wildcards(part):
            paths = [path / name for path in paths for name in names_in(path) if _fits(name, part)]
        else:
            paths = [path / part for path in paths if exists(path / part)]
    return sorted(paths)


def has_wildcards(path: str) -> bool:
    """Whether a path is a pattern."""
    return any(character in path for character in WILDCARDS)


def names_in(folder: Path) -> list[str]:
    """The names in a local folder; none if the path is a file, or nothing.

    Raises:
        InputError: the folder cannot be read.
    """
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _cannot_read(folder, error) from error


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) and (pattern.startswith(".") or not name.startswith("."))


def _cannot_read(path: str | Path, error: OSError) -> InputError:
    remedy = "give the user that runs the job read access to it" if isinstance(error, PermissionError) else (
        "check the disk and the network, and try again")  # fmt: skip
    return InputError(f"cannot read {path}: {error.strerror}", remedy)


def _expand(given: str, patterns: Sequence[str]) -> list[str]:
    path = Path(given)
    if not exists(path):
        raise InputError(f"no such file or directory: {given}", f"check the path; relative paths start at {Path.cwd()}")
    if not path.is_dir():
        return [str(_readable(path))]
    wanted = sorted(path / name for name in names_in(path) if _is_named_like(name, patterns))
    wanted = [file for file in wanted if file.is_symlink() or file.is_file()]
    if not wanted:
        problem = f"no {' or '.join(patterns)} file in the directory {given}"
        raise InputError(problem, "name the directory that holds the dumps")
    return [str(_readable(file)) for file in wanted]


def _readable(path: Path) -> Path:
    if not os.access(path, os.R_OK):
        raise InputError(f"cannot read {path}", "give the user that runs the job read access to it")
    if path.name.startswith(HIDDEN):
        raise InputError(f"Spark skips files such as {path}", "rename it: the name must not start with _ or a dot")
    return path


def open_stored(path: str, storage: ObjectStorageSettings, start: int = 0) -> IO[bytes]:
    """Open a file as it is stored, at a byte."""
    if is_remote(path):
        return open_file(path, storage, start)
    file = open(path, "rb")  # noqa: SIM115  the caller closes it
    file.seek(start)
    return file


def text_bytes(sizes: Iterable[tuple[str, int]]) -> int:
    """Bytes of the text of files, given the path and size of each; an estimate for compressed files."""
    return sum(size * (USUAL_RATIO if path.lower().endswith(PACKED) else 1) for path, size in sizes)


def input_bytes(inputs: Iterable[InputFile]) -> int | None:
    """Bytes of the text of input files; None if the size of one is unknown."""
    sizes = []
    for file in inputs:
        size = file.size
        if size is None and is_remote(file.path):
            return None
        sizes.append((file.path, Path(file.path).stat().st_size if size is None else size))
    return text_bytes(sizes)


def input_records(inputs: Iterable[InputFile]) -> list[InputRecord]:
    """Size and SHA-256 of every local input file; path and, if known, size of other files."""
    records = []
    for file in inputs:
        path = Path(file.path)
        if is_remote(file.path) or not path.is_file():
            records.append(InputRecord(file.path, file.split, file.size, None))
            continue
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        records.append(InputRecord(file.path, file.split, path.stat().st_size, digest))
    return records


@dataclass(frozen=True)
class UnpackLimits:
    """Limits of each archive.

    Attributes:
        max_ratio: unpacked bytes per byte of the archive; tables of real sites reach about 15.
        max_total_bytes: unpacked bytes of all members together.
    """

    max_ratio: float = 200
    max_total_bytes: int = 2 * 10**12


class Meter:
    """Counts the unpacked bytes of an archive, and refuses it at the first byte above a limit.

    Args:
        archive: the archive, for the message.
        size: its bytes.
        limits: limits on the unpacked size.
    """

    def __init__(self, archive: Path, size: int, limits: UnpackLimits) -> None:
        self._archive = archive
        self._size = size
        self._limits = limits
        self._total = 0

    def add(self, member: str, count: int) -> None:
        """Count bytes of a member.

        Args:
            member: the name inside the archive.
            count: bytes more than before.

        Raises:
            InputError: the archive unpacks to more than a limit allows.
        """
        self._total += count
        if self._total > self._limits.max_total_bytes:
            self._refuse(member, f"more than {self._limits.max_total_bytes:,} bytes")
        if self._total > self._limits.max_ratio * self._size:
            self._refuse(member, f"more than {self._limits.max_ratio:g} times its {self._size:,} bytes")

    def _refuse(self, member: str, amount: str) -> None:
        raise InputError(
            f"{self._archive} unpacks to {amount}, reached in its member {member}",
            "check where the archive comes from; if it is right, raise the limit",
        )
