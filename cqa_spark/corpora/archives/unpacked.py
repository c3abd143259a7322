"""The outcome for one archive, and its record, which marks a folder of the staging area as valid."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cqa_spark.corpora.archives.source import Archive
from cqa_spark.corpora.archives.staging import Staging

RECORD = "_unpacked.json"
"""Name of the record; Spark does not read files that start with an underscore."""


@dataclass(frozen=True)
class Unpacked:
    """An archive whose tables are in the staging area.

    Attributes:
        source: the archive, as given by the user.
        folder: folder of its tables.
        files: the tables, sorted by name.
        bytes: size of all tables.
        sha256: of the archive, hexadecimal.
        reused: whether an earlier call unpacked it.
        skipped: members that are not tables.
    """

    source: Path
    folder: Path
    files: tuple[Path, ...]
    bytes: int
    sha256: str
    reused: bool
    skipped: tuple[str, ...] = ()


def write_record(area: Staging, folder: Path, source: Archive, skipped: tuple[str, ...]) -> None:
    """Record the content of a completely written folder.

    Args:
        area: staging area.
        folder: the folder with the tables.
        source: the archive.
        skipped: members that are not tables.
    """
    record = {
        "source": source.path.name,
        "size": source.size,
        "sha256": source.sha256,
        "files": area.sizes(folder),
        "skipped": skipped,
    }
    area.write_text(folder / RECORD, json.dumps(record, indent=2))


def read_record(area: Staging, folder: Path, source: Archive, *, reused: bool) -> Unpacked | None:
    """Read a folder's record; None if the folder does not contain the archive's tables.

    Args:
        area: staging area.
        folder: the folder with the tables.
        source: the archive.
        reused: value for the outcome.
    """
    try:
        record: dict[str, Any] = json.loads(area.read_text(folder / RECORD) or "")
        sizes: dict[str, int] = record["files"]
        if record["sha256"] != source.sha256 or not sizes.items() <= area.sizes(folder).items():
            return None
        tables = tuple(folder / name for name in sizes)
        total = sum(sizes.values())
        return Unpacked(source.path, folder, tables, total, source.sha256, reused, tuple(record["skipped"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # missing, or changed by another program: unpack the archive again
