"""Objects as files of a local folder.

Every file is written under a temporary name and then linked or renamed, so that a crash leaves either the old or the
new content. Conditional writes hold a lock on the file's folder, which the operating system releases when the process
ends.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.store import ObjectStore, Stored, already_there, changed, check_key
from cqa_spark.process.disks import ALLOW_ACCESS, cannot_read, cannot_write

_ABSENT = (FileNotFoundError, NotADirectoryError)
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{32}")
"""The name of a temporary file."""


class Folder(ObjectStore):
    """An ``ObjectStore`` on a local folder, which is created when the first object is written.

    Args:
        root: the folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/") or "/"

    def read(self, key: str) -> Stored | None:
        """The object; None if it does not exist."""
        file = self._file(key)
        try:
            data = file.read_bytes()
        except _ABSENT:
            self._refuse_dangling_link(file)
            return None
        except OSError as error:
            raise cannot_read(file, error) from error
        return Stored(data, _version(data))

    def put(self, key: str, data: bytes) -> None:
        """Write an object, overwriting any existing one."""
        with self._locked(key) as target, _complete_file(target, data) as unfinished:
            unfinished.replace(target)

    def create(self, key: str, data: bytes) -> str:
        """Write an object that must not exist yet; return its version."""
        with self._locked(key) as target, _complete_file(target, data) as unfinished:
            try:
                os.link(unfinished, target)
            except FileExistsError:
                raise already_there(self.root, key) from None
        return _version(data)

    def replace(self, key: str, data: bytes, version: str) -> str:
        """Overwrite the object if it has this version; return the new version."""
        with self._locked(key) as target:
            stored = self.read(key)
            if stored is None or stored.version != version:
                raise changed(self.root, key)
            with _complete_file(target, data) as unfinished:
                unfinished.replace(target)
        return _version(data)

    def delete(self, key: str) -> None:
        """Remove an object, if it exists."""
        try:
            self._file(key).lstat()
        except _ABSENT:  # a lock would create its folder
            return
        except OSError as error:
            raise cannot_read(self._file(key), error) from error
        with self._locked(key) as target:
            target.unlink(missing_ok=True)

    def delete_all(self, keys: Iterable[str]) -> None:
        """Remove objects, as far as they exist, and the folders that this leaves empty."""
        files = [self._file(key) for key in keys]
        try:
            for file in files:
                file.unlink(missing_ok=True)
                file.with_name(f".{file.name}.crc").unlink(
                    missing_ok=True
                )  # Hadoop's checksum of a file that Spark wrote
            for folder in {file.parent for file in files}:
                self._remove_if_empty(folder)
        except OSError as error:
            raise EnvironmentProblem(f"cannot delete files of {self.root}: {error}", ALLOW_ACCESS) from error

    def keys(self, prefix: str = "", after: str = "") -> Iterator[str]:
        """The keys that start with a prefix and come after a key, in order of their characters."""
        return iter(sorted(key for key in self._below(prefix) if key > after))

    def sizes(self, prefix: str = "") -> dict[str, int]:
        """The sizes, in bytes, of the objects whose keys start with a prefix, by key."""
        sizes = {}
        for key in self._below(prefix):
            file = Path(self.root, key)
            try:
                sizes[key] = file.stat().st_size
            except _ABSENT:  # another process has removed it since it was listed
                self._refuse_dangling_link(file)
            except OSError as error:
                raise cannot_read(file, error) from error
        return sizes

    def folders(self, within: str = "") -> list[str]:
        """The names of the folders directly within a folder, in order; none if it does not exist."""
        entries = self._entries(Path(self.root, within))
        return sorted(name for name, is_folder in entries.items() if is_folder and not name.startswith("."))

    def delete_unfinished(self) -> dict[str, int]:
        """Delete what killed processes left of objects; return its bytes, by path relative to the root.

        A process that writes an object holds the lock of its folder meanwhile.
        """
        deleted = {}
        folders = [here for here, names in self._walk(Path(self.root)) if any(map(_UNFINISHED.fullmatch, names))]
        try:
            for folder in folders:
                with _lock(folder):
                    for file in [folder / name for name in self._entries(folder) if _UNFINISHED.fullmatch(name)]:
                        deleted[file.relative_to(self.root).as_posix()] = file.stat().st_size
                        file.unlink()
        except OSError as error:
            raise EnvironmentProblem(f"cannot delete files of {self.root}: {error}", ALLOW_ACCESS) from error
        return deleted

    def _below(self, prefix: str) -> list[str]:
        walk = self._walk(Path(self.root, prefix.rpartition("/")[0]))
        files = (folder.relative_to(self.root) / name for folder, names in walk for name in names if name[0] != ".")
        return [key for key in map(Path.as_posix, files) if key.startswith(prefix)]

    def _walk(self, top: Path) -> Iterator[tuple[Path, list[str]]]:
        """A folder and all visible ones in it, without links to folders; with the names of their files."""
        remaining = [top]
        while remaining:
            folder = remaining.pop()
            entries = self._entries(folder)
            yield folder, [name for name, is_folder in entries.items() if not is_folder]
            below = (folder / name for name, is_folder in entries.items() if is_folder and name[0] != ".")
            remaining += [path for path in below if not path.is_symlink()]

    def _entries(self, folder: Path) -> dict[str, bool]:
        """The names in a folder, and whether they are folders; none if it does not exist.

        A folder that cannot be listed is not empty: what is not listed may be published, or be deleted.
        """
        try:
            with os.scandir(folder) as entries:
                return {entry.name: entry.is_dir() for entry in entries}
        except _ABSENT:
            self._refuse_dangling_link(folder)
            return {}
        except OSError as error:
            raise cannot_read(folder, error) from error

    def _refuse_dangling_link(self, path: Path) -> None:
        """Check that a path is absent because nothing has its name.

        Raises:
            EnvironmentProblem: it, or a folder above it in the store, is a link to what is not there, such as a folder
                of a disk that is not mounted.
        """
        for part in (path, *path.parents):
            if part.is_symlink() and not part.exists():
                raise EnvironmentProblem(
                    f"{part} is a link to {part.readlink()}, which does not exist",
                    "mount or restore what it leads to, or remove the link",
                )
            if part == Path(self.root):
                return

    def _remove_if_empty(self, folder: Path) -> None:
        """Remove a folder below the root, and then those above it that contain nothing else."""
        with suppress(OSError):  # another file is in it, or another process has removed it
            while folder != Path(self.root):
                folder.rmdir()
                folder = folder.parent

    def _file(self, key: str) -> Path:
        check_key(key)
        return Path(self.root, key)

    @contextmanager
    def _locked(self, key: str) -> Iterator[Path]:
        """The path of an object, locked against other writers."""
        target = self._file(key)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _lock(target.parent) as descriptor:
                yield target
                os.fsync(descriptor)  # makes the new name durable
        except OSError as error:
            raise cannot_write(target, error) from error


@contextmanager
def _lock(folder: Path) -> Iterator[int]:
    """Lock a folder against other writers of its objects; yields its descriptor."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _complete_file(target: Path, data: bytes) -> Iterator[Path]:
    """A temporary file with these bytes next to the target, removed afterwards unless it was renamed."""
    temporary = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
