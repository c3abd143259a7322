"""Findings that somebody has seen: they do not come back unless their evidence changes.

They are an object of the lake, ``findings_done.json``: what identifies each, with the evidence that was seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable

from pydantic import TypeAdapter, ValidationError
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.table import fingerprint_of
from cqa_spark.object_store.store import Changed, ObjectStore, damaged, first_mistake

KEY = "findings_done.json"

COLUMNS = ("site", "kind", "post_id", "other_id", "evidence")
"""What identifies a finding with its evidence."""

Done = tuple[str, ...]
"""The values of ``COLUMNS``."""


_LIST = TypeAdapter(list[Done])


def done_findings(objects: ObjectStore) -> list[Done]:
    """All of them, sorted.

    Raises:
        ContractError: the list is damaged.
    """
    return _read(objects)[0]


def add_done(objects: ObjectStore, findings: Iterable[Done]) -> int:
    """Add findings; return the number of all. Two writers at a time both succeed.

    Raises:
        ContractError: the list is damaged; it stays as it is.
    """
    new = set(findings)
    return len(_replace(objects, lambda before: {*before, *new}))


def remove_done(objects: ObjectStore, site: str, posts: Collection[str]) -> None:
    """Remove the findings of a site in which one of some posts is named.

    Raises:
        ContractError: the list is damaged; it stays as it is.
    """
    _replace(
        objects,
        lambda before: {done for done in before if done[0] != site or not {*named_posts(done)}.intersection(posts)},
    )


def named_posts(done: Done) -> tuple[str, str]:
    """The posts of a finding."""
    return done[2], done[3]


def _replace(objects: ObjectStore, change: Callable[[list[Done]], set[Done]]) -> list[Done]:
    """Change the list, however often another writer changes it meanwhile; return what is stored."""
    while True:
        before, version = _read(objects)
        after = sorted(change(before))
        if after == before:
            return after
        try:
            objects.create_or_replace(KEY, json.dumps(after, ensure_ascii=False, indent=0).encode(), version)
        except Changed:
            continue
        return after


def _read(objects: ObjectStore) -> tuple[list[Done], str | None]:
    stored = objects.read(KEY)
    if stored is None:
        return [], None
    try:
        return _LIST.validate_json(stored.data), stored.version
    except ValidationError as error:
        raise damaged(objects.root, KEY, first_mistake(error)) from error


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
