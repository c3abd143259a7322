"""Unpacks archives into a bucket, each in a task of Spark, for executors that share no folder with the driver."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.archives.extraction import RECORD, Unpacked, extract_tables, folder_name
from cqa_spark.corpora.archives.limits import UnpackLimits
from cqa_spark.errors import ConfigError, CqaError, InputError
from cqa_spark.object_store.locations import fetch, find_files, open_store, split
from cqa_spark.object_store.s3 import credentials, use_credentials
from cqa_spark.process.disk_failures import scratch_folders


@dataclass(frozen=True)
class _Unpacking:
    """An archive to unpack.

    Attributes:
        archive: address of the archive, ``s3a://…``.
        version: identifies its content.
        staging: folder that gets one folder per archive, ``s3a://…``.
        limits: limits on the unpacked size.
        storage: object storage settings.
        credentials: environment variables of the driver that hold credentials, as Spark passes them to S3A.
    """

    archive: str
    version: str
    staging: str
    limits: UnpackLimits
    storage: ObjectStorageSettings
    credentials: Mapping[str, str] = field(repr=False)

    def run(self) -> Unpacked:
        """Copy the archive to this machine, unpack it as a stream into the bucket, then write the record.

        Raises:
            InputError: the archive is unsafe, damaged or beyond the limits.
            EnvironmentProblem: the storage does not answer, or this machine has too little space for the archive.
        """
        from cqa_spark.object_store.bucket import Bucket  # slow import of boto3
        from cqa_spark.object_store.transfers import MultipartUpload

        use_credentials(self.credentials)
        name = split(self.archive)[1]
        identity = hashlib.sha256(f"{self.archive} {self.version}".encode()).hexdigest()
        folder = f"{self.staging.rstrip('/')}/{folder_name(name, identity)}"
        bucket = open_store(folder, self.storage)
        assert isinstance(bucket, Bucket)
        record = bucket.read(RECORD)
        if record is not None:
            sizes = json.loads(record.data)
        else:
            with TemporaryDirectory(prefix="cqa-archive-", dir=scratch_folders(None)[0]) as scratch:
                copy = Path(scratch) / name
                fetch(self.archive, copy, self.storage)
                try:
                    sizes = extract_tables(copy, self.limits, lambda table: MultipartUpload(bucket, table))
                except CqaError as error:
                    raise type(error)(error.problem.replace(str(copy), self.archive), error.remedy) from error
            bucket.put(RECORD, json.dumps(sizes).encode())
        files = tuple(f"{folder}/{table}" for table in sorted(sizes))
        return Unpacked(self.archive, files, sum(sizes.values()), reused=record is not None)


def unpack_in_bucket(
    session: SparkSession,
    archives: Sequence[str],
    staging: str,
    limits: UnpackLimits,
    storage: ObjectStorageSettings,
    *,
    progress: Callable[[Unpacked], None],
) -> list[Unpacked]:
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
    local = [archive for archive in archives if not is_remote(archive)]
    if local:
        raise ConfigError(
            f"the staging folder {staging} is in a bucket, and executors cannot read {', '.join(local)}",
            "put the archives into a bucket, too, or name a local folder with --unpack.staging in local mode",
        )
    given = credentials()
    work = [_Unpacking(archive, _version(archive, storage), staging, limits, storage, given) for archive in archives]
    unpacked = []
    # One task per archive, because sizes differ by a factor of thousands.
    for outcome in session.sparkContext.parallelize(work, len(work)).map(_attempt).collect():
        if isinstance(outcome, CqaError):
            raise outcome
        progress(outcome)
        unpacked.append(outcome)
    return unpacked


def _attempt(work: _Unpacking) -> Unpacked | CqaError:
    """Return the outcome or the user's error; if it were raised, Spark would retry the task and bury it in a trace."""
    try:
        return work.run()
    except CqaError as error:
        return error


def _version(archive: str, storage: ObjectStorageSettings) -> str:
    for file in find_files(archive, storage):
        if file.location == archive:
            return file.version
    raise InputError(f"no such archive: {archive}", "check the address")
