"""Unpacks archives into a bucket, each in a task of Spark, for executors that share no folder with the driver."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.archives.formats import OpenTable, format_of
from cqa_spark.corpora.archives.limits import Meter, UnpackLimits
from cqa_spark.corpora.archives.members import Member, choose_tables
from cqa_spark.corpora.archives.source import folder_name
from cqa_spark.corpora.archives.unpacked import RECORD
from cqa_spark.corpora.archives.unpacking import FORMATS
from cqa_spark.errors import ConfigError, CqaError, InputError
from cqa_spark.object_store.credentials import credentials, use_credentials
from cqa_spark.object_store.locations import FoundFile, fetch, find_files, open_store, split
from cqa_spark.object_store.transfers import MultipartUpload
from cqa_spark.process.disk_failures import scratch_folders

if TYPE_CHECKING:
    from cqa_spark.object_store.bucket import Bucket


@dataclass(frozen=True)
class UnpackedInBucket:
    """An archive whose tables are in a bucket.

    Attributes:
        archive: as given.
        files: addresses of the tables.
        bytes: size of all tables.
        reused: whether an earlier call unpacked it.
    """

    archive: str
    files: tuple[str, ...]
    bytes: int
    reused: bool


@dataclass(frozen=True)
class Unpacking:
    """An archive to unpack.

    Attributes:
        archive: address of the archive, ``s3a://…``.
        version: identifies its content.
        size: its bytes.
        staging: folder that gets one folder per archive, ``s3a://…``.
        limits: limits on the unpacked size.
        storage: object storage settings.
        credentials: environment variables of the driver that hold credentials, as Spark passes them to S3A.
    """

    archive: str
    version: str
    size: int
    staging: str
    limits: UnpackLimits
    storage: ObjectStorageSettings
    credentials: Mapping[str, str] = field(repr=False)

    def run(self) -> UnpackedInBucket:
        """Copy the archive to this machine, unpack it as a stream into the bucket, then write the record.

        Raises:
            InputError: the archive is unsafe, damaged or beyond the limits.
            EnvironmentProblem: the storage does not answer, or this machine has too little space for the archive.
        """
        from cqa_spark.object_store.bucket import Bucket  # slow import of boto3

        use_credentials(self.credentials)
        identity = hashlib.sha256(f"{self.archive} {self.version}".encode()).hexdigest()
        folder = f"{self.staging.rstrip('/')}/{folder_name(split(self.archive)[1], identity)}"
        bucket = open_store(folder, self.storage)
        assert isinstance(bucket, Bucket)
        done = bucket.read(RECORD)
        if done is not None:
            return self._outcome(folder, json.loads(done.data), reused=True)
        with TemporaryDirectory(prefix="cqa-archive-", dir=scratch_folders(None)[0]) as scratch:
            copy = Path(scratch) / split(self.archive)[1]
            fetch(self.archive, copy, self.storage)
            try:
                sizes = self._extract(copy, bucket)
            except CqaError as error:
                raise type(error)(error.problem.replace(str(copy), self.archive), error.remedy) from error
        bucket.put(RECORD, json.dumps(sizes).encode())
        return self._outcome(folder, sizes, reused=False)

    def _extract(self, copy: Path, bucket: Bucket) -> dict[str, int]:
        """The size of each table, by name."""
        kind = format_of(copy, FORMATS)
        meter = Meter(copy, self.size, self.limits)
        tables = choose_tables(copy, kind.members(copy))
        sizes: dict[str, int] = {}
        with _uploading(bucket, meter, sizes) as open_table:
            kind.extract(copy, tables.taken, open_table)
        return sizes

    def _outcome(self, folder: str, sizes: Mapping[str, int], *, reused: bool) -> UnpackedInBucket:
        files = tuple(f"{folder}/{name}" for name in sorted(sizes))
        return UnpackedInBucket(self.archive, files, sum(sizes.values()), reused)


def unpack_in_bucket(
    session: SparkSession,
    archives: Sequence[str],
    staging: str,
    limits: UnpackLimits,
    storage: ObjectStorageSettings,
    *,
    progress: Callable[[UnpackedInBucket], None],
) -> list[UnpackedInBucket]:
    """Unpack the tables of archives that no earlier call has unpacked, one task per archive.

    A task copies its archive to the local disk, because reading 7z archives requires seeking. It uploads tables in
    parts and keeps one part in memory.

    Args:
        session: runs the tasks.
        archives: addresses, ``s3a://…``.
        staging: folder that gets one folder per archive, ``s3a://…``.
        limits: limits on the unpacked size of each archive.
        storage: object storage settings.
        progress: called with every archive, in the order given.

    Returns:
        The outcome for each archive, in the order given.

    Raises:
        ConfigError: an archive is on the driver's disk.
        InputError: an archive is missing, unsafe, damaged or beyond the limits.
    """
    local = [each for each in archives if not is_remote(each)]
    if local:
        raise ConfigError(
            f"the staging folder {staging} is in a bucket, and executors cannot read {', '.join(local)}",
            "put the archives into a bucket, too, or name a local folder with --unpack.staging in local mode",
        )
    if not archives:
        return []
    given = credentials()
    work = [
        Unpacking(each, found.version, found.size, staging, limits, storage, given)
        for each in archives
        for found in [_found(each, storage)]
    ]
    # One task per archive, because sizes differ by a factor of thousands.
    unpacked = []
    for outcome in session.sparkContext.parallelize(work, len(work)).map(_attempt).collect():
        if isinstance(outcome, CqaError):
            raise outcome
        progress(outcome)
        unpacked.append(outcome)
    return unpacked


def _attempt(work: Unpacking) -> UnpackedInBucket | CqaError:
    """Return the outcome or the user's error; if it were raised, Spark would retry the task and bury it in a trace."""
    try:
        return work.run()
    except CqaError as error:
        return error


def _found(archive: str, storage: ObjectStorageSettings) -> FoundFile:
    for found in find_files(archive, storage):
        if found.location == archive:
            return found
    raise InputError(f"no such archive: {archive}", "check the address")


@contextmanager
def _uploading(bucket: Bucket, meter: Meter, sizes: dict[str, int]) -> Iterator[OpenTable]:
    """Yield a function that opens the tables of one archive; incomplete tables are removed after the block."""
    with ExitStack() as opened:

        def open_table(member: Member) -> _Table:
            table = _Table(member, MultipartUpload(bucket, member.path.name), meter, sizes)
            opened.callback(table.upload.abort)
            return table

        yield open_table


@dataclass
class _Table:
    """An object being written, counted by the archive's meter."""

    member: Member
    upload: MultipartUpload
    meter: Meter
    sizes: dict[str, int]
    written: int = 0

    def write(self, data: bytes | bytearray | memoryview) -> Any:
        self.meter.add(self.member.name, len(data))
        self.written += len(data)
        self.upload.write(data)

    def close(self) -> None:
        self.upload.close()
        self.sizes[self.member.path.name] = self.written
