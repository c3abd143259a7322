"""The commits of a Delta table, in the table's log.

With Delta's own reader, this takes a Spark job of at least a tenth of a second, about a hundred times per run. Here it
takes a listing from the log's last checkpoint, and one small object.

Source: the protocol of Delta's transaction log, "Delta Log Entries", "Last Checkpoint File" and "Commit Provenance
Information".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cqa_spark.object_store.store import ObjectStore

_COMMIT = re.compile(r"(\d{20})\.json")


@dataclass(frozen=True)
class Commit:
    """The provenance of a commit.

    Attributes:
        version: table version that the commit created.
        author: user metadata of the commit; None if it has none.
        written_at: commit time, in seconds since 1970; None if it is not in the log.
    """

    version: int
    author: str | None
    written_at: float | None


class CommitLog:
    """The log of one table.

    Args:
        objects: store of the table.
        table: folder of the table in the store.
    """

    def __init__(self, objects: ObjectStore, table: str) -> None:
        self._objects = objects
        self._folder = f"{table}/_delta_log/"

    def newest_version(self) -> int | None:
        """The number of the newest commit; None if the table does not exist."""
        last = self._objects.read(f"{self._folder}_last_checkpoint")
        after = self._key(json.loads(last.data)["version"]).removesuffix(".json") if last else ""
        names = (key.removeprefix(self._folder) for key in self._objects.keys(self._folder, after))
        return max((int(found[1]) for name in names if (found := _COMMIT.fullmatch(name))), default=None)

    def commit(self, version: int) -> Commit | None:
        """The commit of a version; None if it was removed from the log."""
        stored = self._objects.read(self._key(version))
        return _commit(version, stored.data) if stored is not None else None

    def append(self, version: int, actions: Iterable[Mapping[str, Any]]) -> None:
        """Create the commit of a new version.

        Args:
            version: the number after the newest version.
            actions: entries of the commit.

        Raises:
            AlreadyThere: another writer has created the version.
        """
        self._objects.create(self._key(version), "\n".join(map(json.dumps, actions)).encode())

    def _key(self, version: int) -> str:
        return f"{self._folder}{version:020d}.json"


def _commit(version: int, data: bytes) -> Commit:
    actions = map(json.loads, data.splitlines())
    info: dict[str, Any] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
    milliseconds = info.get("timestamp")
    return Commit(version, info.get("userMetadata"), None if milliseconds is None else milliseconds / 1000)
