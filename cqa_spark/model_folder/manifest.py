"""The manifest of a model folder: its type, its files and their checksums."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ContractError, CqaError, InputError
from cqa_spark.object_store.store import ObjectStore, check_key, first_mistake

MANIFEST = "manifest.json"
FORMAT_VERSION: Final = 1

_PLAIN_TYPE = "string|boolean|int|bigint|double|date|timestamp"
_LONGEST_TYPE = 1000
_COLUMN_TYPE = re.compile(rf"(?:(?:array|map|struct)<|[a-z_]{{1,99}}:|(?:{_PLAIN_TYPE})|[>,])+")

Kind = Literal["trained_system", "feature_groups", "ranker"]
"""The type of the whole folder; its parts have types of their own, which the registries of rankers and groups
define."""


class OtherModelFormat(ContractError):
    """A model folder that is incomplete, or in a format that this release does not read; retrain it."""


def _key(name: str) -> str:
    try:
        check_key(name)
    except CqaError as error:
        raise ValueError(error.problem) from error
    return name


def _column_type(name: str) -> str:
    if len(name) > _LONGEST_TYPE or not _COLUMN_TYPE.fullmatch(name):
        raise ValueError(f"{name} is not a column type")
    return name


Key = Annotated[str, AfterValidator(_key)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileEntry(_Part):
    """A file.

    Attributes:
        size: bytes.
        sha256: of the bytes, in hexadecimal.
    """

    size: int
    sha256: str

    @classmethod
    def of(cls, data: bytes) -> FileEntry:
        """The entry of a file with these bytes."""
        return cls(size=len(data), sha256=hashlib.sha256(data).hexdigest())


class TableEntry(_Part):
    """A table in Parquet files.

    Attributes:
        columns: Spark SQL type by column. Readers take the schema from here, because Spark's metadata in Parquet files
            may name classes, which Spark and PySpark would instantiate.
        files: keys of the files.
    """

    columns: dict[str, Annotated[str, AfterValidator(_column_type)]]
    files: tuple[Key, ...]


class Copy(_Part):
    """What a copy with fewer rows of tables is of; it ranks in the same way.

    Attributes:
        location: of the copy; elsewhere it is not this copy, but a model of another lake.
        original: location of the folder that was copied first.
    """

    location: str
    original: str


class Manifest(_Part):
    """The content of ``manifest.json``; keys are paths within the folder.

    Attributes:
        version: version of the format.
        kind: type of the model.
        files: every file except the manifest.
        tables: the tables among them.
        copy_of: the folder that this one is a copy of, with fewer rows; None for no copy.
    """

    version: Literal[1] = FORMAT_VERSION
    kind: Kind
    files: dict[Key, FileEntry] = Field(default_factory=dict)
    tables: dict[Key, TableEntry] = Field(default_factory=dict)
    copy_of: Copy | None = None


def read_manifest(store: ObjectStore) -> Manifest:
    """Read the manifest of a model folder.

    Raises:
        InputError: there is no folder, or it is empty.
        OtherModelFormat: there is no manifest, or it has another version.
        ContractError: the manifest is not valid.
    """
    stored = store.read(MANIFEST)
    if stored is None:
        if next(store.keys(), None) is None:
            raise InputError(f"there is no model in {store.root}", "check the path, or train a model first")
        raise OtherModelFormat(
            f"{store.root} has no {MANIFEST}: the model was saved by an earlier release, or is incomplete",
            "retrain it with this release; nothing was loaded from the folder",
        )
    try:
        return Manifest.model_validate_json(stored.data)
    except ValidationError as error:
        if any(mistake["loc"] == ("version",) for mistake in error.errors()):
            raise OtherModelFormat(
                f"{store.root} is in another format than version {FORMAT_VERSION}, which this release reads",
                "retrain the model with this release; nothing was loaded from the folder",
            ) from error
        raise ContractError(
            f"{store.root}/{MANIFEST} is not valid: {first_mistake(error)}",
            "restore the folder from a backup, or retrain the model; nothing was loaded from the folder",
        ) from error
