"""Fingerprints of input files: a site whose files all have the fingerprints of the published run is not read again."""

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.inputs import text_bytes
from cqa_spark.errors import InputError
from cqa_spark.lake.forgotten import Forgotten, forgotten_version, of_site
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_record import InputRecord
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.object_store.locations import files_below


def fingerprints(
    files: Sequence[tuple[str, str, str]],
    published: Iterable[Entry],
    storage: ObjectStorageSettings,
    reader: str,
    forgotten: Sequence[Forgotten] = (),
) -> list[Entry]:
    """The entries of ``FINGERPRINTS`` of some files, without Spark.

    An object in a bucket has its entity tag. A local file is hashed, unless its path, size and time are those of a file
    that the published run read.

    Args:
        files: site, path and table of each file, local or in a bucket.
        published: the published entries.
        storage: object storage settings.
        reader: the code that reads the files, and its settings.
        forgotten: users and posts whose rows are left out.

    Raises:
        InputError: a file cannot be read.
    """
    hashes = {(each["source_file"], each["bytes"], each["modified_ns"]): each["content"] for each in published}
    folders = sorted({path.rpartition("/")[0] for _, path, _ in files if is_remote(path)})
    objects = {each.location: each for folder in folders for each in files_below(folder, storage)}

    def identify(path: str) -> dict[str, object]:
        try:
            if is_remote(path):
                return {"bytes": objects[path].size, "modified_ns": None, "content": objects[path].version}
            status = Path(path).stat()
            size, modified_ns = status.st_size, status.st_mtime_ns
            content = hashes.get((path, size, modified_ns)) or _sha256(path, size, modified_ns)
            return {"bytes": size, "modified_ns": modified_ns, "content": content}
        except (KeyError, OSError) as error:
            raise InputError(f"cannot read {path}: {error}", "check the file and its storage") from error

    with ThreadPoolExecutor() as threads:
        contents = threads.map(identify, [path for _, path, _ in files])
    readers = {site: reader + forgotten_version(of_site(forgotten, site)) for site, _, _ in files}
    return [
        {"site": site, "source_file": path, "table_name": table, "reader": readers[site], **content}
        for (site, path, table), content in zip(files, contents, strict=True)
    ]


def input_record(entry: Entry) -> InputRecord:
    """The record of a file that a run reads, from its entry of ``FINGERPRINTS``."""
    is_local = entry["modified_ns"] is not None
    return InputRecord(entry["source_file"], UNANNOTATED, entry["bytes"], entry["content"] if is_local else None)


def dump_bytes(files: Iterable[Entry]) -> int:
    """Bytes of the text of files, from their entries of ``FINGERPRINTS``; an estimate for compressed files."""
    return text_bytes((file["source_file"], file["bytes"]) for file in files)


@cache
def _sha256(path: str, size: int, modified_ns: int) -> str:
    """The hash of a file, which has another size or time if its content changes."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
