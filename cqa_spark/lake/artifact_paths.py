"""Artifact paths in stored run records: those in the lake are relative to it, so that a lake can be copied or moved."""

from __future__ import annotations

import os
from dataclasses import replace

from cqa_spark.config.value_types import is_remote
from cqa_spark.lake.run_record import RunRecord

IN_LAKE = "lake:"
"""Marks the stored path of an artifact in the lake, as in ``lake:runs/r1.2/models/best_a``."""


def to_stored(record: RunRecord, root: str) -> RunRecord:
    """The record in stored form: relative paths of artifacts in the lake, absolute paths of all others.

    Args:
        record: with paths that can be opened from the working directory.
        root: the lake.
    """
    return replace(record, artifacts={name: _stored(path, root) for name, path in record.artifacts.items()})


def from_stored(record: RunRecord, root: str) -> RunRecord:
    """The record with paths that can be opened from the working directory.

    Args:
        record: in stored form.
        root: the current location of the lake.
    """
    return replace(
        record, artifacts={name: _located(path, root.rstrip("/")) for name, path in record.artifacts.items()}
    )


def _stored(path: str, root: str) -> str:
    absolute, lake = _absolute(path), f"{_absolute(root).rstrip('/')}/"
    return IN_LAKE + absolute.removeprefix(lake) if absolute.startswith(lake) else absolute


def _located(path: str, root: str) -> str:
    return f"{root}/{path.removeprefix(IN_LAKE)}" if path.startswith(IN_LAKE) else path


def _absolute(location: str) -> str:
    return location if is_remote(location) else os.path.abspath(location)
