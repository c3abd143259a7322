"""Questions of a site in parts, as tasks make them."""

from __future__ import annotations

import pyarrow as pa

from cqa_spark.findings.question_index import make_parts

_DAY = 86_400_000_000

_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("site", "post_id", "title", "text", "asker_id")),
        ("asked", pa.int64()), ("tags", pa.list_(pa.string())), ("is_closed", pa.bool_()),
        ("links", pa.list_(pa.struct([("made", pa.int64()), ("to", pa.string()), ("duplicate", pa.bool_())]))),
        ("vectors", pa.binary()),
    ]
)  # fmt: skip


def question(post_id, title, day, *, links=None, closed=False, vectors=None):
    """A question, with the days at which it was linked with others by their ids; all links are duplicates."""
    made = [{"made": at * _DAY, "to": to, "duplicate": True} for to, at in (links or {}).items()]
    return {
        "site": "a", "post_id": post_id, "asked": day * _DAY, "title": title, "text": title,
        "tags": ["ale"], "asker_id": "7", "is_closed": closed, "links": made or None, "vectors": vectors,
    }  # fmt: skip


def table(*questions, part=100, share=0, shares=1):
    """The rows of a share of the questions, with so many questions in a part."""
    batches = pa.Table.from_pylist(list(questions), schema=_SCHEMA).to_batches(max_chunksize=part)
    parts = pa.Table.from_batches(make_parts(batches))
    numbers = {"share": share, "shares": shares}
    for name, number in numbers.items():
        parts = parts.append_column(name, pa.array([number] * len(parts), pa.int64()))
    return parts
