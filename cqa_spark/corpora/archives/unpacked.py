"""The outcome for one archive, and its record: a folder of the staging area is valid because of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cqa_spark.corpora.archives.source import Source
from cqa_spark.corpora.archives.staging import Staging

RECORD = "_unpacked.json"
"""Name of the record; Spark does not read files that start with an underscore."""


@dataclass(frozen=True)
class Unpacked:
    """An archive whose tables lie in the staging area.

    Attributes:
        source: the archive, as it was named.
        folder: where its tables lie.
        files: the tables, sorted by name.
        bytes: size of all tables.
        sha256: of the archive, hexadecimal.
        reused: whether an earlier call had unpacked it.
        skipped: members that are no tables.
    """

    source: Path
    folder: Path
    files: tuple[Path, ...]
    bytes: int
    sha256: str
    reused: bool
    skipped: tuple[str, ...] = ()


def write_record(area: Staging, folder: Path, source: Source, skipped: tuple[str, ...]) -> None:
    """Record what a folder holds, once all of it is written.

    Args:
        area: does the writing.
        folder: the folder with the tables.
        source: the archive.
        skipped: members that are no tables.
    """
    record = {
        "source": source.path.name,
        "size": source.size,
        "sha256": source.sha256,
        "files": area.sizes(folder),
        "skipped": skipped,
    }
    area.write_text(folder / RECORD, json.dumps(record, indent=2))


def read_record(area: Staging, folder: Path, source: Source, *, reused: bool) -> Unpacked | None:
    """Read a folder's record; None where the folder does not hold what the archive gives.

    Args:
        area: does the reading.
        folder: the folder with the tables.
        source: the archive.
        reused: what the outcome is to say.
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
        return None  # absent, or touched by somebody else: the archive is unpacked again
