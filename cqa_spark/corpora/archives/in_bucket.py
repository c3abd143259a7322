"""Unpacks archives into a bucket, each in a task of Spark, for executors that share no folder with the driver."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.archives.limits import UnpackLimits
from cqa_spark.corpora.archives.unpacking import RECORD, Unpacked, extract, folder_name
from cqa_spark.errors import ConfigError, CqaError, InputError
from cqa_spark.object_store.locations import fetch, find_files, open_store, split
from cqa_spark.object_store.s3 import credentials, use_credentials
from cqa_spark.process.disk_failures import scratch_folders


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
    versions = [(archive, _version(archive, storage)) for archive in archives]
    unpacking = partial(_unpack, staging.rstrip("/"), limits, storage, credentials())
    unpacked = []
    # One task per archive, because sizes differ by a factor of thousands.
    for outcome in session.sparkContext.parallelize(versions, len(versions)).map(unpacking).collect():
        if isinstance(outcome, CqaError):
            raise outcome
        progress(outcome)
        unpacked.append(outcome)
    return unpacked


def _unpack(
    staging: str,
    limits: UnpackLimits,
    storage: ObjectStorageSettings,
    given: Mapping[str, str],
    versioned: tuple[str, str],
) -> Unpacked | CqaError:
    """Copy an archive to this machine, unpack it as a stream into the bucket, then write the record.

    Returns:
        The outcome, or the user's error; if it were raised, Spark would retry the task and bury it in a trace.
    """
    from cqa_spark.object_store.bucket import Bucket  # slow import of boto3
    from cqa_spark.object_store.multipart_upload import MultipartUpload

    archive, version = versioned
    name = split(archive)[1]
    use_credentials(given)
    folder = f"{staging}/{folder_name(name, hashlib.sha256(f'{archive} {version}'.encode()).hexdigest())}"
    bucket = open_store(folder, storage)
    assert isinstance(bucket, Bucket)
    with TemporaryDirectory(prefix="cqa-archive-", dir=scratch_folders(None)[0]) as scratch:
        copy = Path(scratch) / name
        try:
            if record := bucket.read(RECORD):
                sizes = json.loads(record.data)
            else:
                fetch(archive, copy, storage)
                sizes = extract(copy, limits, lambda table: MultipartUpload(bucket, table))
                bucket.put(RECORD, json.dumps(sizes).encode())
        except CqaError as error:
            return type(error)(error.problem.replace(str(copy), archive), error.remedy)
    files = tuple(f"{folder}/{table}" for table in sorted(sizes))
    return Unpacked(archive, files, sum(sizes.values()), reused=record is not None)


def _version(archive: str, storage: ObjectStorageSettings) -> str:
    for file in find_files(archive, storage):
        if file.location == archive:
            return file.version
    raise InputError(f"no such archive: {archive}", "check the address")
