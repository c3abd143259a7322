"""Artifact paths in stored run records: those in the lake are relative to it, so that a lake can be copied or moved."""

from __future__ import annotations

import os
from dataclasses import replace

from cqa_spark.config.value_types import is_remote
from cqa_spark.config.yaml_files import parse_yaml
from cqa_spark.lake.run_record import RunRecord

IN_LAKE = "lake:"
"""Marks the stored path of an artifact in the lake, as in ``lake:models/r1/2/systems/best_a``."""


def to_stored(record: RunRecord, root: str) -> RunRecord:
    """The record in stored form: relative paths of artifacts in the lake, absolute paths of all others.

    Args:
        record: with paths that can be opened from the working directory.
        root: the lake.
    """
    return replace(record, artifacts={name: _stored(path, root) for name, path in record.artifacts.items()})


def from_stored(record: RunRecord, root: str) -> RunRecord:
    """The record with paths that can be opened from the working directory.

    Earlier releases stored the job's paths, which start with the lake's location at that time, one of the run's
    settings.

    Args:
        record: in stored form.
        root: the current location of the lake.
    """
    unmarked = any(not path.startswith(IN_LAKE) for path in record.artifacts.values())
    before = _recorded_root(record) if unmarked else None
    paths = {name: _located(path, root.rstrip("/"), before) for name, path in record.artifacts.items()}
    return replace(record, artifacts=paths)


def _stored(path: str, root: str) -> str:
    absolute, lake = _absolute(path), f"{_absolute(root).rstrip('/')}/"
    return IN_LAKE + absolute.removeprefix(lake) if absolute.startswith(lake) else absolute


def _located(path: str, root: str, before: str | None) -> str:
    if path.startswith(IN_LAKE):
        return f"{root}/{path.removeprefix(IN_LAKE)}"
    if before and path.startswith(f"{before}/"):
        return root + path.removeprefix(before)
    return path


def _absolute(location: str) -> str:
    return location if is_remote(location) else os.path.abspath(location)


def _recorded_root(record: RunRecord) -> str | None:
    """The location of the lake in the run's settings."""
    settings = parse_yaml(record.config, f"settings of run {record.run_id}").value
    lake = settings.get("lake") if isinstance(settings, dict) else None
    return lake.rstrip("/") if isinstance(lake, str) else None
