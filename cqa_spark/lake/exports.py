"""Exports of rankings to files: one folder each, and a manifest that names the current one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cqa_spark.lake.folders import EXPORTS
from cqa_spark.lake.storage import Lake

MANIFEST = f"{EXPORTS}/current.json"


@dataclass(frozen=True)
class Exported:
    """The publication that the manifest describes.

    Attributes:
        run_id: the run.
        published_at: time of the publication, in the manifest's format.
        system: the system whose rankings are served.
        rankings_version: version of the table of rankings; None in manifests of earlier releases.
        files: the manifest's entries.
    """

    run_id: str
    published_at: str
    system: str
    rankings_version: int | None
    files: Sequence[Mapping[str, Any]]

    @property
    def runs(self) -> set[str]:
        """The runs that wrote the files; a site whose rankings did not change since keeps its files."""
        return {self.run_id, *(file["path"].split("/")[1] for file in self.files)}


def current_export(lake: Lake) -> Exported | None:
    """The exported publication; None before the first export."""
    stored = lake.objects.read(MANIFEST)
    if stored is None:
        return None
    found = json.loads(stored.data)
    version = found.get("rankings_version")
    return Exported(found["run_id"], found["published_at"], found["system"], version, found["files"])
