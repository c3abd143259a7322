"""Unpacks archives into a folder of this machine, each only once."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cqa_spark.corpora.archives.limits import UnpackLimits
from cqa_spark.corpora.archives.sevenzip import Target, extract_tables, unpacked_size
from cqa_spark.corpora.archives.staging import StagedFile, Staging, read_json, refuse_change, size_and_time
from cqa_spark.corpora.archives.zip_archive import extract_zip, is_zip, zip_size
from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.process.pool import Pool

RECORD = "_unpacked.json"
"""The file that marks a folder as complete; Spark does not read files that start with an underscore."""

SHOWN_DIGITS = 12


@dataclass(frozen=True)
class Unpacked:
    """An archive whose tables are in the staging folder.

    Attributes:
        archive: path or address, as given by the user.
        files: paths or addresses of the tables, sorted by name.
        bytes: size of all tables.
        reused: whether an earlier call unpacked it.
    """

    archive: str
    files: tuple[str, ...]
    bytes: int
    reused: bool


def folder_name(archive: str, identity: str) -> str:
    """Name of the folder for an archive's tables, in characters without special meaning for Spark or any storage.

    Args:
        archive: its file name.
        identity: hash of its content or version, hexadecimal.
    """
    stem = re.sub(r"(?i)\.(7z|zip)$", "", archive)
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", stem).lstrip("._")
    return f"{plain or 'archive'}-{identity[:SHOWN_DIGITS]}"


def extract(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of a 7z or zip archive; arguments, result and errors as for ``sevenzip.extract_tables``."""
    return (extract_zip if is_zip(archive) else extract_tables)(archive, limits, open_target)


def unpack(
    archives: Sequence[Path],
    staging: Path,
    limits: UnpackLimits,
    *,
    workers: int,
    progress: Callable[[Unpacked], None],
    require_space: Callable[[int], None],
) -> list[Unpacked]:
    """Unpack the tables of archives that no earlier call has unpacked.

    The headers of all archives are checked before the first is unpacked, so that most problems are reported early.

    Args:
        archives: local files.
        staging: folder that gets one folder per archive; created if it does not exist.
        limits: limits on the unpacked size of each archive.
        workers: number of archives to unpack in parallel, one process each.
        progress: called with every finished archive, in the order given.
        require_space: called with the bytes to unpack, before the first; raises an error if they do not fit.

    Returns:
        The outcome for each archive, in the order given.

    Raises:
        InputError: an archive is named twice, missing, unsafe, damaged or beyond the limits; nothing of it is left.
        EnvironmentProblem: the staging folder cannot be written to, or a process was killed.
    """
    repeated = [str(path) for path, count in Counter(path.absolute() for path in archives).items() if count > 1]
    if repeated:
        raise InputError(f"named more than once as archive: {', '.join(repeated)}", "name each archive once")
    area = Staging(staging.absolute())
    calls = [(area, limits, archive) for archive in archives]
    unpacked = []
    try:
        with Pool(min(workers, len(archives))) as pool:
            require_space(sum(pool.in_order(_missing_bytes, calls)))
            for outcome in pool.in_order(_unpack, calls):
                progress(outcome)
                unpacked.append(outcome)
    except BrokenProcessPool as error:
        raise EnvironmentProblem(
            "a process that unpacks archives was killed, perhaps because memory ran out", "try again with fewer workers"
        ) from error
    return unpacked


def _missing_bytes(area: Staging, limits: UnpackLimits, archive: Path) -> int:
    sha256 = area.sha256(archive)
    folder = area.root / folder_name(archive.name, sha256)
    return 0 if _table_sizes(folder, sha256) else (zip_size if is_zip(archive) else unpacked_size)(archive, limits)


def _unpack(area: Staging, limits: UnpackLimits, archive: Path) -> Unpacked:
    before, sha256 = size_and_time(archive), area.sha256(archive)
    name = folder_name(archive.name, sha256)
    with area.lock(name):
        # Another process may have unpacked it while this one waited for the lock.
        sizes = _table_sizes(area.root / name, sha256)
        reused = bool(sizes)
        if not reused:
            with area.new_folder(name) as folder:
                sizes = extract(archive, limits, lambda table: StagedFile(area, folder / table))
                refuse_change(archive, before)
                record = {"source": archive.name, "sha256": sha256, "files": dict(sorted(sizes.items()))}
                with area.writing():
                    (folder / RECORD).write_text(json.dumps(record, indent=2), encoding="utf-8")
    files = tuple(str(area.root / name / table) for table in sorted(sizes))
    return Unpacked(str(archive), files, sum(sizes.values()), reused)


def _table_sizes(folder: Path, sha256: str) -> dict[str, int]:
    """The size of each table in a folder, by name; empty unless its record says that they are those of the archive."""
    record: dict[str, Any] = read_json(folder / RECORD)
    sizes = record.get("files")
    if record.get("sha256") != sha256 or not isinstance(sizes, dict):
        return {}
    stored = {file.name: file.stat().st_size for file in folder.iterdir()}
    return sizes if sizes.items() <= stored.items() else {}
