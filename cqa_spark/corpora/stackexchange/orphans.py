"""Counts rows that refer to rows missing from the dump; such rows are kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.inputs import open_stored
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import ORPHANS
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import TableFiles
from cqa_spark.object_store.s3 import credentials, use_credentials

_ROWS = 1 << 20
"""Referring rows that are looked up at a time."""

_TASKS_PER_CORE = 4


@dataclass(frozen=True)
class Reference:
    """A column that points to rows of another table.

    Attributes:
        table: the table with the column.
        column: the column.
        target: the referenced table, by the last column of its key.
    """

    table: Table
    column: str
    target: Table


REFERENCES = (
    Reference(POSTS, "thread_id", POSTS),
    Reference(POSTS, "accepted_answer_id", POSTS),
    Reference(POSTS, "user_id", USERS),
    Reference(COMMENTS, "post_id", POSTS),
    Reference(COMMENTS, "user_id", USERS),
    Reference(VOTES, "post_id", POSTS),
    Reference(BADGES, "user_id", USERS),
    Reference(POST_LINKS, "post_id", POSTS),
    Reference(POST_LINKS, "related_post_id", POSTS),
    Reference(POST_HISTORY, "post_id", POSTS),
)


@dataclass(frozen=True)
class _ReferringFile:
    """A file whose rows may refer to others of its site.

    Attributes:
        site: the site.
        reference: the reference.
        path: of the file.
        referred: paths of the files of the target.
    """

    site: str
    reference: Reference
    path: str
    referred: tuple[str, ...]


def orphans(lake: Lake, tables: Mapping[str, TableFiles]) -> list[Entry]:
    """Count the rows with dangling references, in tasks that read the ids alone.

    Args:
        lake: the lake.
        tables: the files of the tables that were read, by name; references to or from other tables are skipped.

    Returns:
        Entries of ``ORPHANS``: one for each site and reference with orphans.
    """
    files = sorted(_referring_files(lake, tables), key=lambda file: (file.site, file.reference.target.name))
    if not files:
        return []
    context = lake.spark.sparkContext
    tasks = context.parallelize(files, min(len(files), _TASKS_PER_CORE * context.defaultParallelism))
    found = tasks.mapPartitions(partial(_count_dangling, lake.storage, credentials())).collect()
    counts: Counter[tuple[str, Reference]] = Counter()
    for file, count in zip(files, found, strict=True):
        counts[file.site, file.reference] += count
    entries = [
        {
            "site": site,
            "table_name": reference.table.name,
            "reference": reference.column,
            "missing_in": reference.target.name,
            "rows": count,
        }
        for (site, reference), count in counts.items()
        if count
    ]
    return sorted(entries, key=lambda entry: [entry[name] for name in ORPHANS.key])


def _referring_files(lake: Lake, tables: Mapping[str, TableFiles]) -> Iterator[_ReferringFile]:
    """The files of each site with rows that may refer to others, once for each reference."""
    by_site: dict[tuple[str, str | None], list[str]] = {}
    for name, stored in tables.items():
        for file in stored.files:
            by_site.setdefault((name, file.site), []).append(lake.absolute_path(file.path))
    for reference in REFERENCES:
        if {reference.table.name, reference.target.name} <= tables.keys():
            for site in sorted(tables[reference.table.name].rows_by_site()):
                referred = tuple(by_site.get((reference.target.name, site), ()))
                for path in by_site[reference.table.name, site]:
                    yield _ReferringFile(site, reference, path, referred)


def _count_dangling(
    storage: ObjectStorageSettings, given: Mapping[str, str], files: Iterable[_ReferringFile]
) -> Iterator[int]:
    """The number of rows that refer to none of the target, for each file.

    Args:
        storage: object storage settings.
        given: environment variables of the driver that hold credentials.
        files: the files, those to the same target adjacent; its ids, 8 bytes each, are held in memory.
    """
    use_credentials(given)
    for (target, referred), to_target in groupby(files, key=lambda file: (file.reference.target, file.referred)):
        parts = [ids for path in referred for ids in _ids(path, target.key[-1], storage)]
        there = np.concatenate([np.empty(0, np.int64), *parts])
        for file in to_target:
            referring = _ids(file.path, file.reference.column, storage)
            yield sum(int(np.isin(ids, there, invert=True).sum()) for ids in referring)


def _ids(path: str, column: str, storage: ObjectStorageSettings) -> Iterator[npt.NDArray[np.int64]]:
    """The ids in a column of a file, which are whole numbers of 64 bits, without nulls."""
    with open_stored(path, storage) as stored:
        for batch in pq.ParquetFile(stored).iter_batches(_ROWS, columns=[column]):
            yield pc.cast(batch.column(0).drop_null(), "int64").to_numpy()
