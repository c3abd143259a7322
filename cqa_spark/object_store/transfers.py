"""Large objects, between a bucket and files of this machine: in chunks, never entirely in memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.object_store.bucket import Bucket
from cqa_spark.object_store.requests import NotAsExpected, NotThere

PIECE = 8 << 20
"""Bytes per read."""


def download(bucket: Bucket, key: str, target: Path) -> None:
    """Copy an object to a file atomically; resume after a broken connection.

    Raises:
        InputError: there is no such object, or it changed in the meantime.
        EnvironmentProblem: the storage does not answer, or the file cannot be written.
    """
    location = f"{bucket.root}/{key}"
    unfinished = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            head = bucket.until_answered(key, partial(bucket.client.head_object, **bucket.address(key)))
            while file.tell() < head["ContentLength"]:
                bucket.until_answered(key, partial(_continue, bucket, key, head["ETag"], file))
        unfinished.replace(target)
    except NotThere:
        raise InputError(f"there is no {location}", "check the address") from None
    except NotAsExpected:
        raise InputError(f"{location} changed while it was read", "wait until it is complete, then try again") from None
    except OSError as error:
        raise EnvironmentProblem(
            f"{location} cannot be copied to {target}: {error.strerror}", "free disk space, or name another folder"
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def upload(bucket: Bucket, source: Path, key: str) -> None:
    """Copy a file to an object atomically."""
    bucket.until_answered(key, partial(bucket.client.upload_file, str(source), *bucket.address(key).values()))


def _continue(bucket: Bucket, key: str, version: str, file: BinaryIO) -> None:
    """Append the missing bytes of the object to the file."""
    rest: dict[str, Any] = {"Range": f"bytes={file.tell()}-", "IfMatch": version}
    body = bucket.client.get_object(**bucket.address(key), **rest)["Body"]
    while piece := body.read(PIECE):
        file.write(piece)
