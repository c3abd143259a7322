"""The manifest of an export: it names the files that programs serve, and is replaced when others are complete."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from cqa_spark.errors import AnotherWriter, InputError
from cqa_spark.object_store.store import Changed, ObjectStore, first_mistake
from cqa_spark.settings.nightly import ExportFormat
from cqa_spark.settings.values import RunName

MANIFEST = "manifest.json"

UNFINISHED = "_cqa_unfinished.json"
"""In the folder of an export, the number of its publication, until the manifest names the folder."""

FolderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*-[0-9a-f]{8}$", max_length=109)]
"""The folder of an export's files: the run's id, and eight digits that no other export has."""


class ExportedFile(BaseModel):
    """One file of an export.

    Attributes:
        path: relative to the export's folder, as in the file system or the bucket.
        site: site of its rankings.
        rows: number of rows.
        bytes: its size.
        sha256: hash of its bytes, hexadecimal.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    site: str
    rows: int
    bytes: int
    sha256: str


class ExportManifest(BaseModel):
    """The content of ``manifest.json``.

    Attributes:
        run_id: the exported run.
        publication: number of its publication in the run log, or of its own record if it was never published; exports
            of earlier releases have none.
        recorded_at: time of that record.
        system: the system that ranks, or findings.
        format: of the files.
        folder: the folder of the files.
        replaced_folder: the folder of the export before, whose readers may still have its files open.
        files: the files, in order of their paths.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: RunName
    publication: int = 0
    recorded_at: str
    system: str
    format: ExportFormat
    folder: FolderName
    replaced_folder: FolderName | None = None
    files: tuple[ExportedFile, ...]

    @model_validator(mode="after")
    def _is_of_its_run(self) -> Self:
        """The folder is the run's, and has all files."""
        if not re.fullmatch(rf"{re.escape(self.run_id)}-[0-9a-f]{{8}}", self.folder):
            raise ValueError(f"folder {self.folder} is not of run {self.run_id}")
        if outside := [file.path for file in self.files if not file.path.startswith(f"{self.folder}/")]:
            raise ValueError(f"{outside[0]} is not in {self.folder}")
        return self


class ExportTarget:
    """The folder that exports share, as it was before one of them started.

    Args:
        objects: the folder.

    Raises:
        InputError: its ``manifest.json`` is of another program.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._read()

    def _read(self) -> None:
        stored = self._objects.read(MANIFEST)
        self._version = stored.version if stored else None
        try:
            self.manifest = ExportManifest.model_validate_json(stored.data) if stored else None
        except ValidationError as error:
            raise InputError(
                f"{self._objects.root}/{MANIFEST} is not of an export of cqa: {first_mistake(error)}; nothing was "
                "written",
                "name another folder: --output, or move that file away",
            ) from error

    def refuse_older(self, run_id: str, publication: int) -> None:
        """Check that the folder does not have a later publication.

        Raises:
            InputError: it has.
        """
        if self.manifest and self.manifest.publication > publication:
            raise InputError(
                f"{self._objects.root} has run {self.manifest.run_id}, publication {self.manifest.publication}, which "
                f"is later than publication {publication}, run {run_id}; nothing was written",
                f"export it in spite of that by its name: cqa export {run_id}; or name another folder: --output",
            )

    def begin(self, folder: str, publication: int) -> None:
        """Announce an export, so that a later one deletes its files if it is killed.

        Args:
            folder: of its files.
            publication: its number.
        """
        self._objects.put(f"{folder}/{UNFINISHED}", str(publication).encode())

    def replace(self, manifest: ExportManifest) -> None:
        """Let the folder's manifest name other files, which are complete.

        The files of the export before last are deleted, and those of unfinished exports of earlier publications:
        whether they were killed or are paused, they cannot replace this manifest.

        Args:
            manifest: it names the export that it replaces, which this method adds.

        Raises:
            AnotherWriter: an export of a later publication was faster; its manifest stays, and these files go.
        """
        while True:
            replaced = self.manifest
            content = manifest.model_copy(update={"replaced_folder": replaced.folder if replaced else None})
            try:
                data = content.model_dump_json(indent=2).encode()
                self._objects.create_or_replace(MANIFEST, data, self._version)
                break
            except Changed:
                self._read()
            if self.manifest and self.manifest.publication > manifest.publication:
                self.delete(manifest.folder)
                raise AnotherWriter(
                    f"another export has put run {self.manifest.run_id} into {self._objects.root} meanwhile, which is "
                    f"later than run {manifest.run_id}; it stays",
                    f"to serve run {manifest.run_id} in spite of that, export it again: cqa export {manifest.run_id}",
                )
        self._objects.delete(f"{manifest.folder}/{UNFINISHED}")
        if replaced and replaced.replaced_folder:
            self.delete(replaced.replaced_folder)
        named = {manifest.folder, replaced.folder if replaced else None}
        for folder in self._objects.folders():
            announced = self._objects.read(f"{folder}/{UNFINISHED}") if folder not in named else None
            if announced and announced.data.isdigit() and int(announced.data) < manifest.publication:
                self.delete(folder)

    def delete(self, folder: str, *, but: frozenset[str] = frozenset()) -> None:
        """Delete the files of an export.

        Args:
            folder: its folder.
            but: paths of files that stay.
        """
        self._objects.delete_all(key for key in list(self._objects.keys(f"{folder}/")) if key not in but)
