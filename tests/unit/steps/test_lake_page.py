"""Shards of threads: their entries, their size limits, and texts that could end a script."""

import gzip
import json
from base64 import b64decode
from typing import Any

import pyarrow as pa

from cqa_spark.steps.lake_page import MOST_CANDIDATES, MOST_THREADS, WRITTEN, shard_script, smallest, write_shards

START, END = b'document.currentScript.shard="', b'"\n'
COLUMNS = {
    "site": pa.string(), "shard": pa.int32(), "key": pa.string(), "query_id": pa.string(), "candidate_id": pa.string(),
    "system": pa.string(), "rank": pa.int32(), "score": pa.float64(), "subject": pa.string(), "body": pa.string(),
    "author": pa.string(), "address": pa.string(), "licence": pa.string(), "is_html": pa.bool_(),
    "answer_standing_asof_v1__net": pa.float64(), "created_at": pa.timestamp("us", "UTC"),
}  # fmt: skip


def batch(*rows: dict[str, object]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"site": "beer", "shard": 0, **row} for row in rows], pa.schema(COLUMNS))


def ranked(rank: int, candidate: str, **more: object) -> dict[str, object]:
    return {"key": "#1", "query_id": "1", "candidate_id": candidate, "system": "s", "rank": rank, "score": 0.5, **more}


def entries(script: bytes) -> Any:
    assert script.startswith(START)
    assert script.endswith(END)
    return json.loads(gzip.decompress(b64decode(script[len(START) : -len(END)])))


def written(*rows: dict[str, object]) -> dict[tuple[str, int], Any]:
    files: dict[tuple[str, int], Any] = {}

    def write(site: str, shard: int, script: bytes) -> None:
        files[site, shard] = entries(script)

    tables = list(write_shards([batch(*rows)], write))
    assert all(table.schema == WRITTEN for table in tables)
    return files


def test_a_shard_has_threads_with_reasons_and_words_with_threads() -> None:
    features = {"key": "#1", "candidate_id": "2", "answer_standing_asof_v1__net": 0.6931471805599453}
    others = {"key": "#1", "candidate_id": "3", "answer_standing_asof_v1__net": 0.0}
    signed = {"author": "Zoë", "address": "https://beer/q/1", "licence": "CC BY-SA 4.0"}
    unsigned = dict.fromkeys(signed)
    files = written(
        features, others, ranked(0, "1", subject="Which ale?", body="<p>I ask.</p>", is_html=True, **signed),
        ranked(1, "2", body="<p>Pale &amp; dry</p>", is_html=True, **signed), ranked(2, "3", body="<b>"),
        {"shard": 4, "key": "ale", "query_id": "1", "subject": "Which ale?"},
    )  # fmt: skip
    first = {
        "id": "2",
        "score": 0.5,
        "title": "",
        "html": "<p>Pale &amp; dry</p>",
        "reason": "1 vote more than the next answer",
    }
    last = {
        "id": "3",
        "score": 0.5,
        "title": "",
        "html": '<p class="plain">&lt;b&gt;</p>',
        "reason": "1 vote fewer than the answer above",
    }
    candidates = [first | signed, last | unsigned]
    thread = {
        "title": "Which ale?",
        "html": "<p>I ask.</p>",
        **signed,
        "order": "s",
        "number": 2,
        "candidates": candidates,
    }
    assert files == {
        ("beer", 0): {"#1": thread},
        ("beer", 4): {"ale": {"number": 1, "threads": [["1", "Which ale?"]]}},
    }


def test_long_threads_and_common_words_are_cut_and_counted() -> None:
    threads = [{"key": "how", "query_id": f"{each}", "subject": "how"} for each in range(MOST_THREADS + 1)]
    files = written(*[ranked(rank, f"{rank}") for rank in range(1, MOST_CANDIDATES + 2)], *threads)
    thread, word = files["beer", 0]["#1"], files["beer", 0]["how"]
    assert (thread["number"], len(thread["candidates"])) == (MOST_CANDIDATES + 1, MOST_CANDIDATES)
    assert (word["number"], len(word["threads"])) == (MOST_THREADS + 1, MOST_THREADS)


def test_no_text_can_end_the_script() -> None:
    hostile = {"</script><script>alert(1)//": "\u2028\u202e\"'`${}\\ \ud800"}
    script = shard_script(hostile)
    assert set(script[len(START) : -len(END)]) <= set(
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )
    assert entries(script) == {"</script><script>alert(1)//": "\u2028\u202e\"'`${}\\ ?"}
    assert shard_script(hostile) == script


# Which sites can be searched on the page of a lake.


def test_the_smallest_sites_are_searched_up_to_the_limit() -> None:
    rows = {"a": 40, "b": 10, "c": 30, "d": 30}
    assert smallest(rows, 70) == {"b", "c", "d"}
    assert smallest(rows, 69) == {"b", "c"}
    assert smallest(rows, 9) == set()
    assert smallest(rows, 110) == rows.keys()
