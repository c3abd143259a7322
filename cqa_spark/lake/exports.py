"""Exports of rankings to files: one folder each, and a manifest that names the current one."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cqa_spark.lake.folders import EXPORTS
from cqa_spark.lake.storage import Lake

MANIFEST = f"{EXPORTS}/current.json"


@dataclass(frozen=True)
class Exported:
    """The publication that the manifest describes.

    Attributes:
        run_id: the run.
        published_at: time of the publication, in the manifest's format.
    """

    run_id: str
    published_at: str


def current_export(lake: Lake) -> Exported | None:
    """The exported publication; None before the first export."""
    stored = lake.objects.read(MANIFEST)
    if stored is None:
        return None
    manifest = json.loads(stored.data)
    return Exported(manifest["run_id"], manifest["published_at"])
