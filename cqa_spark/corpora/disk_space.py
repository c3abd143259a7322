"""Checks that local disks have room for what a job that reads dumps will write."""

from cqa_spark.process.disks import SpaceNeed, require_space
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.session import is_local_master, local_scratch_folders

FIXED = 10**7
"""Bytes of XML that stand for what does not grow with a dump: model, report, logs."""


def require_space_for_dumps(settings: DumpJobSettings, size: int | None, *, packed: bool = False) -> None:
    """Check that the disks of the lake, of Spark's scratch folders and of the staging folder have room.

    Buckets have no limit, and the disks of a cluster's workers are not examined.

    Args:
        settings: of the job; ``check_space`` skips the check.
        size: bytes of XML of the sites to read; None if unknown, which disables the check.
        packed: whether they are in archives, which will be unpacked.

    Raises:
        EnvironmentProblem: there is too little space; nothing was written.
    """
    if not settings.check_space or not size:
        return
    master = settings.spark.master
    staging = settings.staging(on_cluster=not is_local_master(master)) if packed else ""
    scratch = local_scratch_folders(master)
    in_lake, in_scratch = (round(factor * (size + FIXED)) for factor in settings.space_factors())
    needs = [
        SpaceNeed("unpacked archives", staging, size if packed else 0),
        SpaceNeed("tables of the lake", settings.lake, in_lake),
        *[SpaceNeed("Spark's scratch files", folder, round(in_scratch / len(scratch))) for folder in scratch],
    ]
    require_space(need for need in needs if need.bytes and not is_remote(need.folder))
