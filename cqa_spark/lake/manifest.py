"""The manifest of a run: which files are its tables, its journal and its artifacts.

It is written once, when an attempt of the run has succeeded. A file that no manifest names belongs to no run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter, ValidationError

from cqa_spark.lake.lake import RUNS
from cqa_spark.lake.run_log import ListedRecord, RunRecord
from cqa_spark.lake.table import TableFiles
from cqa_spark.object_store.store import ObjectStore, damaged, first_mistake, missing

NAME = "manifest.json"


@dataclass(frozen=True)
class RunManifest:
    """The files of one attempt of a run, with the files of earlier runs that it uses; paths are relative to the lake.

    Attributes:
        tables: the files of each table, by its name.
        entries: the file of each journal table, by its name.
        sizes: bytes of every other file that the run needs, by path: entries, models, the report.
    """

    tables: Mapping[str, TableFiles] = field(default_factory=dict)
    entries: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def all_sizes(self) -> dict[str, int]:
        """Bytes of every file that the run needs, by path."""
        of_tables = {file.path: file.bytes for files in self.tables.values() for file in files.files}
        return {**of_tables, **self.sizes}


_MANIFEST = TypeAdapter(RunManifest)


def folder_of(record: RunRecord | ListedRecord) -> str:
    """The folder of an attempt of a run, relative to the lake."""
    return f"{RUNS}/{record.attempt_name}"


def write_manifest(objects: ObjectStore, record: RunRecord, manifest: RunManifest) -> None:
    """Write the manifest of an attempt.

    Raises:
        AlreadyThere: it has one.
    """
    objects.create(manifest_key(record), _MANIFEST.dump_json(manifest))


def read_manifest(objects: ObjectStore, record: RunRecord | ListedRecord) -> RunManifest:
    """The manifest of an attempt that succeeded.

    Raises:
        ContractError: it is missing, because the run was collected, or it is damaged.
    """
    stored = objects.read(manifest_key(record))
    if stored is None:
        raise missing(objects.root, manifest_key(record), f"run {record.run_id} succeeded, so it had one")
    try:
        return _MANIFEST.validate_json(stored.data)
    except ValidationError as error:
        raise damaged(objects.root, manifest_key(record), first_mistake(error)) from error


def missing_files(manifest: RunManifest, stored: Mapping[str, int]) -> Iterator[str]:
    """The files of a manifest that are not stored with their size.

    Args:
        manifest: names files.
        stored: bytes of each file of the lake, by path.
    """
    return (path for path, size in manifest.all_sizes().items() if stored.get(path) != size)


def manifest_key(record: RunRecord | ListedRecord) -> str:
    """The path of the manifest of an attempt, relative to the lake."""
    return f"{folder_of(record)}/{NAME}"
