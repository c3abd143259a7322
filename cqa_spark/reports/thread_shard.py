"""Writes threads, and an index of the words of their titles, as script files that a page without a server loads.

A browser reads no data from a folder, but runs scripts of it. A shard is such a script: JSON, compressed and in base64,
so that no text in it can end the script or the page. It maps keys to entries: ``#ID`` to a thread, a word to threads.
The shard of a key is its CRC-32 modulo the number of shards, which the name of their folder tells.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa

from cqa_spark.reports.post_texts import truncated
from cqa_spark.reports.reasons import REASON_FEATURES, reasons
from cqa_spark.spark.whole_groups import whole_groups
from cqa_spark.text.markup.body import parse_body

Row = Mapping[str, Any]

MOST_CANDIDATES = 20
MOST_CHARACTERS = 4_000
"""What a shard has of a thread: its first candidates, and the start of a text."""

MOST_THREADS = 200
"""Threads that a shard has of a word, the newest."""

_BYTES = 8 << 20
WRITTEN = pa.schema([("threads", pa.int64())])


def write_shards(
    batches: Iterable[pa.RecordBatch], write: Callable[[str, int, bytes], None]
) -> Iterator[pa.RecordBatch]:
    """Write the shards of a task.

    Args:
        batches: rows in order of ``site``, ``shard``, ``key`` and ``position``. Those of a thread are its features
            (without a rank), its question (of rank 0) and its ranked candidates; those of a word, questions.
        write: writes a shard, given its site, number and content.

    Yields:
        The number of threads of each shard: the column of ``WRITTEN``.
    """
    for table in whole_groups(batches, "site", "shard", at_a_time=_BYTES, size=lambda rows: int(rows.nbytes)):
        written = []
        for (site, shard), rows in groupby(table.to_pylist(), itemgetter("site", "shard")):
            entries = {key: _entry(key, list(of_key)) for key, of_key in groupby(rows, itemgetter("key"))}
            write(site, shard, shard_script(entries))
            written.append(sum(key.startswith("#") for key in entries))
        yield pa.RecordBatch.from_arrays([pa.array(written, pa.int64())], schema=WRITTEN)


def shard_script(entries: Mapping[str, Any]) -> bytes:
    """The script that gives its element the entries; the same entries give the same bytes."""
    data = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")
    return b'document.currentScript.shard="' + b64encode(gzip.compress(data, mtime=0)) + b'"\n'


def _entry(key: str, rows: Sequence[Row]) -> dict[str, Any]:
    return _thread(rows) if key.startswith("#") else _word(rows)


def _word(rows: Sequence[Row]) -> dict[str, Any]:
    return {"number": len(rows), "threads": [[row["query_id"], row["subject"]] for row in rows[:MOST_THREADS]]}


def _thread(rows: Sequence[Row]) -> dict[str, Any]:
    ranked = [row for row in rows if row["rank"]]
    question: Row = next((row for row in rows if row["rank"] == 0), {})
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        known = {name: row[name] for name in REASON_FEATURES if row.get(name) is not None}
        values.setdefault(row["candidate_id"], {}).update(known)
    shown = ranked[:MOST_CANDIDATES]
    sentences = reasons([values[row["candidate_id"]] for row in ranked])[:MOST_CANDIDATES]
    return {
        "title": question.get("subject") or "",
        "text": _text(question),
        **_attribution(question),
        "order": ranked[0]["system"] if ranked else "",
        "number": len(ranked),
        "candidates": [
            {"id": row["candidate_id"], "score": row["score"], "title": row["subject"] or "", "text": _text(row),
             **_attribution(row), "reason": reason}
            for row, reason in zip(shown, sentences, strict=True)
        ],
    }  # fmt: skip


def _text(row: Row) -> str:
    body = row.get("body") or ""
    return truncated(parse_body(body).prose if row.get("is_html") else body, MOST_CHARACTERS)


def _attribution(row: Row) -> dict[str, Any]:
    return {name: row.get(name) for name in ("author", "address", "licence")}
