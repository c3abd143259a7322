"""Objects as files of a local folder.

Every file is written under a temporary name and then linked or renamed, so that a crash leaves either the old or the
new content. Conditional writes hold a lock on the file's folder, which the operating system releases when the process
ends.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.store import ObjectStore, Stored, already_there, changed, check_key
from cqa_spark.process.disk_failures import ALLOW_ACCESS, cannot_write


class Folder(ObjectStore):
    """An ``ObjectStore`` on a local folder, which is created when the first object is written.

    Args:
        root: the folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/") or "/"

    def read(self, key: str) -> Stored | None:
        """The object; None if it does not exist."""
        try:
            data = self._file(key).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise EnvironmentProblem(
                f"cannot read {self._file(key)}: {error.strerror}", "give this user read permission"
            ) from error
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
        if self._file(key).exists():
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
            with suppress(FileNotFoundError):  # another process has removed it since it was listed
                sizes[key] = Path(self.root, key).stat().st_size
        return sizes

    def _below(self, prefix: str) -> list[str]:
        top = Path(self.root, prefix.rpartition("/")[0])
        keys = []
        for folder, below, files in os.walk(top):
            below[:] = [name for name in below if not name.startswith(".")]
            here = Path(folder).relative_to(self.root)
            keys += [(here / name).as_posix() for name in files if not name.startswith(".")]
        return [key for key in keys if key.startswith(prefix)]

    def folders(self, within: str = "") -> list[str]:
        """The names of the folders directly within a folder, in order; none if it does not exist."""
        folder = Path(self.root, within)
        try:
            return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise EnvironmentProblem(f"cannot list {folder}: {error.strerror}", ALLOW_ACCESS) from error

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
            descriptor = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield target
                os.fsync(descriptor)  # makes the new name durable
            finally:
                os.close(descriptor)
        except OSError as error:
            raise cannot_write(target, error) from error


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
