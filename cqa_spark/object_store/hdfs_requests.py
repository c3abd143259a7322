"""The requests of HDFS, by hdfs-native: what a bucket decides by entity tags, renames decide here.

A complete file gets its name by a rename that refuses an existing target, which is ``create``. An object that is
replaced has a hidden folder ``.NAME.cas`` with its contents as ``c.TOKEN``, and with one empty file ``p.TOKEN`` that
names the current ones: the rename of ``p.OLD`` to ``p.NEW`` fails if ``p.OLD`` is gone, which is the comparison. The
file NAME is a copy for other programs; this package never reads it once there is such a folder.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from hdfs_native import WriteOptions

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.requests import NoAnswer, NotAsExpected, NotThere, Page, Requests, Send
from cqa_spark.object_store.store import PIECE, ListedObject, ObjectWriter, Stored

_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{32}")
"""The name of a temporary file or folder."""
_VERSIONS = re.compile(r"\.(.+)\.cas")
"""The name of the folder of an object that is replaced."""
_ABANDONED = 24 * 3600
"""Seconds after which nobody finishes what was begun."""
_PLAIN = "plain:"
"""What the version of an object begins with that was never replaced; a hash of its content follows."""


class HdfsRequests(Requests):
    """The requests about the files of a folder, each of them a few calls of the name node.

    Args:
        client: of hdfs-native.
        cluster: the address of the cluster.
        folder: its path, without slashes at its ends.
    """

    deleted_at_once: ClassVar[int] = 1000

    def __init__(self, client: Any, cluster: str, folder: str) -> None:
        self.root = f"{cluster}/{folder}".rstrip("/")
        self._client = client
        self._top = f"/{folder}".rstrip("/")

    def get(self, key: str) -> Stored:
        """The object; a version that is replaced while it is read is read again."""
        return self.request(key, lambda: self._stored(self._path(key)))

    def describe(self, key: str) -> ListedObject:
        """Its size, and its token or its time of change."""
        path = self._path(key)

        def send() -> ListedObject:
            if token := self._token(path):
                return ListedObject(key, self._client.get_file_info(_content(path, token)).length, token)
            return _described(key, self._client.get_file_info(path))

        return self.request(key, send)

    def get_range(self, key: str, version: str, start: int, end: int) -> bytes:
        """Bytes of a version, which nobody changes, or of a file that has not changed."""
        path = self._path(key)
        is_token = "-" not in version

        def send() -> bytes:
            if not is_token and _described(key, self._client.get_file_info(path)).version != version:
                raise NotAsExpected(f"{self.root}/{key} has changed", "read it again")
            with self._client.read(_content(path, version) if is_token else path) as stream:
                return bytes(stream.read_range(start, end - start))

        return self.request(key, send)

    def put(self, key: str, data: bytes) -> None:
        """Overwrite the object, whatever its version."""
        path = self._path(key)

        def send() -> None:
            while True:
                if token := self._token(path):
                    if self._swap(path, data, token):
                        return
                else:
                    self._rename_over(self._new_file(path, data), path)
                    if self._token(path) is None:  # else another process has replaced it for the first time
                        return

        self.request(key, send)

    def put_if(self, key: str, data: bytes, version: str | None) -> str:
        """Write by a rename that only one of several writers can do."""
        path = self._path(key)

        def send() -> str:
            if version is None:
                return self._create(path, data)
            if version.startswith(_PLAIN):
                return self._replace_first(path, data, version)
            token = self._swap(path, data, version)
            if token is None:
                raise NotAsExpected(f"{self.root}/{key} has another version", "read it again")
            return token

        return self.request(key, send)

    def upload(self, source: Path, key: str) -> None:
        """Copy a file piece by piece."""
        path = self._path(key)
        if self.request(key, lambda: self._token(path)):
            self.put(key, source.read_bytes())
            return

        def send() -> None:
            new = _hidden(path)
            with source.open("rb") as stream, self._client.create(new, _NEW) as target:
                while piece := stream.read(PIECE):
                    target.write(piece)
            self._rename_over(new, path)

        self.request(key, send)

    def delete(self, key: str) -> None:
        """Remove the copy, then the versions: until they are gone, the object is there."""
        path = self._path(key)
        with suppress(NotThere):
            self.request(key, lambda: self._client.delete(path))
            self.request(key, lambda: self._client.delete(_versions(path), recursive=True))

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove objects, and the folders that this leaves empty."""
        for key in keys:
            self.delete(key)
        for folder in {self._path(key).rpartition("/")[0] for key in keys}:
            with suppress(EnvironmentProblem):  # others are in it, or another process has removed it
                while folder != self._top:
                    self.request(folder, partial(self._client.delete, folder))
                    folder = folder.rpartition("/")[0]

    def page(self, prefix: str, after: str, rest: Any) -> Page:
        """All objects."""
        files, tokens, contents = {}, {}, {}
        for status in self._below(prefix.rpartition("/")[0]):
            *folders, name = status.path.removeprefix(f"{self._top}/").split("/")
            if versions := _VERSIONS.fullmatch(folders[-1] if folders else ""):
                key = "/".join([*folders[:-1], versions[1]])
                if name.startswith("p."):
                    tokens[key] = name[2:]
                contents[key, name] = status.length
            elif not any(part.startswith(".") for part in (*folders, name)):
                key = "/".join([*folders, name])
                files[key] = _described(key, status)
        for key, token in tokens.items():
            if (key, f"c.{token}") in contents:
                files[key] = ListedObject(key, contents[key, f"c.{token}"], token)
            else:  # replaced since its folder was listed
                with suppress(NotThere):
                    files[key] = self.describe(key)
        return Page([files[key] for key in sorted(files) if key.startswith(prefix) and key > after])

    def folders(self, within: str, rest: Any) -> Page:
        """All names."""
        top = f"{self._top}/{within}".rstrip("/") or "/"

        def send() -> list[str]:
            return [status.path.rpartition("/")[2] for status in self._client.list_status(top) if status.isdir]

        try:
            return Page(folders=[name for name in self.request(within, send) if not name.startswith(".")])
        except NotThere:
            return Page()

    def writer(self, key: str, send: Send) -> ObjectWriter:
        """Write a hidden file, which gets its name when it is complete."""
        return _FileWriter(self, key, send)

    def delete_unfinished(self) -> dict[str, int]:
        """Delete what was begun a day ago, and renew the copies of objects whose writer did not."""
        deleted = {}
        before = time.time() * 1000 - _ABANDONED * 1000
        keys = set()
        for status in self._below(""):
            *folders, name = status.path.removeprefix(f"{self._top}/").split("/")
            versions = _VERSIONS.fullmatch(folders[-1] if folders else "")
            if versions and name.startswith("p."):
                keys.add("/".join([*folders[:-1], versions[1]]))
            is_old = status.modification_time < before
            # The content of a writer that was killed before the swap, or after it and before the old one was removed.
            is_unused = versions is not None and name.startswith("c.") and name[2:] != self._token_in(status.path)
            if is_old and (is_unused or any(map(_UNFINISHED.fullmatch, (*folders, name)))):
                self.request(name, partial(self._client.delete, status.path, recursive=True))
                deleted[status.path.removeprefix(f"{self._top}/")] = status.length
        for key in keys:
            path = self._path(key)
            with suppress(NotThere):
                self.request(key, partial(self._show, path))
        return deleted

    def _create(self, path: str, data: bytes) -> str:
        if self._token(path):
            raise NotAsExpected(f"{path} exists", "read it")
        new = self._new_file(path, data)
        try:
            self._client.rename(new, path)
        except FileExistsError as error:
            self._client.delete(new)
            raise NotAsExpected(f"{path} exists", "read it") from error
        except FileNotFoundError as error:  # the client has repeated a rename that took effect, or the folder is gone
            raise NoAnswer(path, "the new file is gone") from error
        return _plain(data)

    def _replace_first(self, path: str, data: bytes, version: str) -> str:
        """Replace an object that was never replaced: only one writer can make the folder of its versions."""
        if self._stored(path).version != version:
            raise NotAsExpected(f"{path} has another version", "read it again")
        token, new = uuid4().hex, _hidden(path)
        self._client.mkdirs(new)
        self._write(f"{new}/c.{token}", data)
        self._write(f"{new}/p.{token}", b"")
        try:
            self._client.rename(new, _versions(path))
        except FileExistsError as error:
            self._client.delete(new, recursive=True)
            raise NotAsExpected(f"{path} has another version", "read it again") from error
        except FileNotFoundError as error:
            raise NoAnswer(path, "the new version is gone") from error
        self._copy(path, data, token)
        return token

    def _swap(self, path: str, data: bytes, version: str) -> str | None:
        """Replace a version by another; return its token, or None if there is another one."""
        token, folder = uuid4().hex, _versions(path)
        try:
            self._write(f"{folder}/c.{token}", data)
            self._client.rename(f"{folder}/p.{version}", f"{folder}/p.{token}")
        except FileNotFoundError:
            if self._token(path) != token:  # else the client has repeated a rename that took effect
                self._client.delete(f"{folder}/c.{token}")
                return None
        self._copy(path, data, token)
        with suppress(OSError, RuntimeError):  # is left for delete_unfinished
            self._client.delete(f"{folder}/c.{version}")
        return token

    def _copy(self, path: str, data: bytes, token: str) -> None:
        """Write the copy of a version that is the object now; a failure is left for the next writer."""
        with suppress(OSError, RuntimeError):
            self._rename_over(self._new_file(path, data), path)
            if self._token(path) != token:  # another writer was faster, and this copy may have come after its own
                self._show(path)

    def _show(self, path: str) -> None:
        """Make the copy equal to the current version."""
        while token := self._token(path):
            data = self._stored(path).data
            with suppress(FileNotFoundError):
                if self._bytes(path) == data and self._token(path) == token:
                    return
            self._rename_over(self._new_file(path, data), path)

    def _stored(self, path: str) -> Stored:
        while token := self._token(path):
            with suppress(FileNotFoundError):  # replaced in between
                return Stored(self._bytes(_content(path, token)), token)
        data = self._bytes(path)
        return Stored(data, _plain(data))

    def _token(self, path: str) -> str | None:
        """The token of the current version; None for an object that was never replaced."""
        return self._token_in(f"{_versions(path)}/")

    def _token_in(self, path: str) -> str | None:
        try:
            names = [status.path.rpartition("/")[2] for status in self._client.list_status(path.rpartition("/")[0])]
        except FileNotFoundError:
            return None
        return next((name[2:] for name in names if name.startswith("p.")), None)

    def _below(self, folder: str) -> Iterator[Any]:
        """The status of all files below a folder; none if it does not exist.

        A folder that is removed while it is listed is no end of the listing.
        """
        top = f"{self._top}/{folder}".rstrip("/") or "/"

        def send() -> list[Any]:
            self._client.get_file_info(top)
            try:
                return [status for status in self._client.list_status(top, recursive=True) if not status.isdir]
            except FileNotFoundError as error:
                raise NoAnswer(top, "a folder was removed while it was listed") from error

        try:
            yield from self.request(folder, send)
        except NotThere:
            return

    def _bytes(self, path: str) -> bytes:
        with self._client.read(path) as stream:
            return bytes(stream.read())

    def _new_file(self, path: str, data: bytes) -> str:
        new = _hidden(path)
        with self._client.create(new, _NEW) as stream:
            stream.write(data)
        return new

    def _write(self, path: str, data: bytes) -> None:
        """Write a file in a folder, which is not created."""
        with self._client.create(path, WriteOptions(create_parent=False)) as stream:
            stream.write(data)

    def _rename_over(self, new: str, path: str) -> None:
        try:
            self._client.rename(new, path, overwrite=True)
        except FileNotFoundError:
            self._client.get_file_info(path)  # the client has repeated a rename that took effect

    def _path(self, key: str) -> str:
        return f"{self._top}/{key}"

    def meaning_of(self, location: str, error: Exception) -> Exception | None:
        """What an exception of hdfs-native says; the name node's own exceptions are named in its text."""
        if isinstance(error, FileNotFoundError):
            return NotThere(f"there is no {location}", "check the address")
        if isinstance(error, OSError):
            return NoAnswer(location, _first_line(error))
        if isinstance(error, RuntimeError):
            message, reason = str(error), _first_line(error)
            if "(is not a directory)" in message:
                return NotThere(f"there is no {location}", "check the address")
            if any(name in message for name in _FULL):
                remedy = "remove unneeded files (cqa runs gc), or raise the folder's quota, then run the job again"
                return EnvironmentProblem(f"{location}: HDFS is full: {reason}", remedy)
            if message.startswith("RPCError") and not any(name in message for name in _TEMPORARY):
                return EnvironmentProblem(f"{location}: HDFS refuses: {reason}", "check the rights of this user")
            return NoAnswer(location, reason)
        return None


class _FileWriter:
    """A hidden file that is written sequentially."""

    def __init__(self, requests: HdfsRequests, key: str, send: Send) -> None:
        self._requests, self._key, self._send = requests, key, send
        self._path = requests._path(key)
        self._new, self._file = send(lambda: requests.request(key, self._begun))
        self._is_open = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append bytes; what a data node loses, hdfs-native writes to another one."""
        self._once(lambda: self._file.write(bytes(data)))

    def close(self) -> None:
        """Complete the file, and give it its name."""
        self._once(self._file.close)
        requests = self._requests
        self._send(lambda: requests.request(self._key, lambda: requests._rename_over(self._new, self._path)))
        self._is_open = False

    def abort(self) -> None:
        """Remove the hidden file."""
        if self._is_open:
            requests, self._is_open = self._requests, False
            self._send(lambda: requests.request(self._key, lambda: requests._client.delete(self._new)))

    def _begun(self) -> tuple[str, Any]:
        """A new hidden file; that of a request whose answer was lost is not opened again."""
        new = _hidden(self._path)
        return new, self._requests._client.create(new, _NEW)

    def _once(self, call: Callable[[], Any]) -> None:
        try:
            self._requests.request(self._key, call)
        except NoAnswer as error:
            raise error.given_up() from error


_NEW = WriteOptions(create_parent=True)


def _hidden(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.{uuid4().hex}"


def _versions(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.cas"


def _content(path: str, token: str) -> str:
    return f"{_versions(path)}/c.{token}"


def _plain(data: bytes) -> str:
    return f"{_PLAIN}{hashlib.sha256(data).hexdigest()}"


def _described(key: str, status: Any) -> ListedObject:
    """The entry of a file that was never replaced; it is never changed, only another file gets its name."""
    if status.isdir:
        raise FileNotFoundError(key)
    return ListedObject(key, status.length, f"{status.length}-{status.modification_time}")


_TEMPORARY = ("SafeModeException", "StandbyException", "RetriableException", "ObserverRetryOnActiveException")
_FULL = ("DSQuotaExceededException", "NSQuotaExceededException", "QuotaByStorageTypeExceededException")


def _first_line(error: Exception) -> str:
    return str(error).replace("\\n", "\n").splitlines()[0].rstrip('\\n") ')
