"""Files for other programs, outside the lake; a folder with ``_SUCCESS`` is complete."""

import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.errors import ContractError
from cqa_spark.object_store.locations import open_store

COMMITTER = "magic"


def write_plain_files(
    frame: DataFrame,
    folder: str,
    storage: ObjectStorageSettings,
    *,
    file_format: str = "parquet",
    partition_by: Sequence[str] = (),
    options: Mapping[str, bool] | None = None,
) -> None:
    """Write a frame, overwriting the folder.

    In a bucket, the files appear when the job commits, by completing their uploads; Spark's default committer would
    copy them one by one, and leave some of them after a crash.

    Args:
        frame: the rows.
        folder: target folder, local or in a bucket.
        storage: object storage settings.
        file_format: Spark output format, such as "json".
        partition_by: partition columns.
        options: of the format.

    Raises:
        ContractError: another committer wrote to the bucket.
    """
    frame.write.format(file_format).options(**options or {}).mode("overwrite").partitionBy(*partition_by).save(folder)
    if is_remote(folder):
        check_committer(folder, storage)


def check_committer(folder: str, storage: ObjectStorageSettings) -> None:
    """Check that a folder in a bucket was committed atomically, by the committer's entry in ``_SUCCESS``.

    Raises:
        ContractError: there is none, or another committer wrote it, which leaves an empty one.
    """
    mark = open_store(folder, storage).read("_SUCCESS")
    try:
        committer = json.loads(mark.data)["committer"] if mark else None
    except (ValueError, KeyError):
        committer = None
    if committer != COMMITTER:
        raise ContractError(
            f"{folder} was not written by the {COMMITTER} committer; it may be incomplete",
            "start Spark with the settings of conf/spark/common.conf, then write it again",
        )
