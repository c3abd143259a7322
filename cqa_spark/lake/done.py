"""Findings that somebody has seen: they do not come back unless their evidence changes.

They are an object of the lake, ``findings_done.json``: what identifies each, with the evidence that was seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.table import fingerprint_of
from cqa_spark.object_store.store import Changed, ObjectStore

KEY = "findings_done.json"

COLUMNS = ("site", "kind", "post_id", "other_id", "evidence")
"""What identifies a finding with its evidence."""

Done = tuple[str, ...]
"""The values of ``COLUMNS``."""


def done_findings(objects: ObjectStore) -> list[Done]:
    """All of them, sorted."""
    stored = objects.read(KEY)
    return [] if stored is None else [tuple(entry) for entry in json.loads(stored.data)]


def add_done(objects: ObjectStore, findings: Iterable[Done]) -> int:
    """Add findings; return the number of all. Two writers at a time both succeed."""
    new = set(findings)
    while True:
        stored = objects.read(KEY)
        before = set() if stored is None else {tuple(entry) for entry in json.loads(stored.data)}
        merged = sorted(before | new)
        try:
            data = json.dumps(merged, ensure_ascii=False, indent=0).encode()
            objects.create_or_replace(KEY, data, None if stored is None else stored.version)
        except Changed:
            continue
        return len(merged)


def not_done(findings: DataFrame, done: Iterable[Done]) -> DataFrame:
    """The findings that nobody has seen, or whose evidence has changed."""
    seen = list(done)
    if not seen:
        return findings
    schema = ", ".join(f"{name} string" for name in COLUMNS)
    frame = findings.sparkSession.createDataFrame(seen, schema)
    return findings.join(F.broadcast(frame), on=list(COLUMNS), how="left_anti").select(*findings.columns)


def version_of(done: Iterable[Done]) -> str:
    """Identifies a list of findings that somebody has seen."""
    return fingerprint_of(*("\n".join(entry) for entry in done))
