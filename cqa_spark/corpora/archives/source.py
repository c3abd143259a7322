"""An archive's identity: its hash, cached until the file changes."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from cqa_spark.corpora.archives.staging import Staging
from cqa_spark.errors import InputError

SHOWN_DIGITS = 12


@dataclass(frozen=True)
class Archive:
    """One archive.

    Attributes:
        path: path given by the user.
        size: bytes.
        modified: time of the last change, nanoseconds.
        sha256: of its content, hexadecimal.
    """

    path: Path
    size: int
    modified: int
    sha256: str

    @property
    def folder_name(self) -> str:
        """Name of the folder for its tables, in characters without special meaning for Spark or any storage."""
        return folder_name(self.path.name, self.sha256)

    def refuse_change(self) -> None:
        """Refuse a file that changed after it was hashed.

        Raises:
            InputError: its size or time changed.
        """
        if (self.size, self.modified) != _size_and_time(self.path):
            raise InputError(f"{self.path} changed while it was unpacked", "wait until it is complete, then try again")


def folder_name(archive: str, identity: str) -> str:
    """Name of the folder for an archive's tables.

    Args:
        archive: its file name.
        identity: hash of its content or version, hexadecimal.
    """
    stem = re.sub(r"(?i)(\.xml)?\.(7z|zst)$", "", archive)
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", stem).lstrip("._")
    return f"{plain or 'archive'}-{identity[:SHOWN_DIGITS]}"


def identify(path: Path, staging: Staging) -> Archive:
    """Hash an archive, or read the cached hash of an earlier call.

    Args:
        path: the archive.
        staging: staging area with cached hashes.

    Raises:
        InputError: there is no such file, or it cannot be read.
    """
    size, modified = _size_and_time(path)
    place = staging.note(hashlib.sha256(os.fsencode(path.absolute())).hexdigest())
    note = _read_note(staging, place)
    if note is None or (note.size, note.modified) != (size, modified):
        note = Archive(path, size, modified, _hash(path))
        note.refuse_change()
        staging.write_text(place, json.dumps({"size": size, "modified": modified, "sha256": note.sha256}))
    return Archive(path, size, modified, note.sha256)


def _read_note(staging: Staging, place: Path) -> Archive | None:
    try:
        note = json.loads(staging.read_text(place) or "")
        return Archive(Path(), note["size"], note["modified"], note["sha256"])
    except (ValueError, KeyError, TypeError):
        return None


def _size_and_time(path: Path) -> tuple[int, int]:
    if not path.is_file():
        raise InputError(f"no such file: {path}", f"check the path; relative paths start at {Path.cwd()}")
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "give the user that runs the job access") from error
