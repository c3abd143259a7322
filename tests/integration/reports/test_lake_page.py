"""The page of a lake after a run: what it links to, and the shards of all threads."""

import gzip
import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

from golden.run import GoldenRun
from lxml import html

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.steps.attribution import attributions


def entries(folder: Path) -> dict[str, Any]:
    """All entries of the shards of a site, each of which must be in the shard of its key."""
    found: dict[str, Any] = {}
    for path in folder.glob("[0-9]*.js"):  # beside the newest threads
        shard = json.loads(gzip.decompress(b64decode(path.read_bytes().split(b'"')[1])))
        assert all(zlib.crc32(key.encode()) % int(folder.name) == int(path.stem) for key in shard)
        found |= shard
    return found


def test_the_shards_have_the_rankings_and_the_page_leads_to_them(question_comment_run: GoldenRun) -> None:
    run, root = question_comment_run.snapshot, Path(question_comment_run.root)
    page = html.document_fromstring((root / "index.html").read_bytes())
    assert all((root / link).exists() for link in page.xpath("//a/@href") if not link.startswith("#"))
    (site,) = page.xpath("//option")
    folder = root / site.get("data-folder")
    assert (site.text, site.get("data-shards")) == ("qatarliving.com", folder.name)
    found = entries(folder)

    best = run.record.scores[0].system
    expected: dict[str, list[str]] = {}
    for row in run.read(RANKINGS).where(f"system = '{best}'").orderBy("query_id", "rank").collect():
        expected.setdefault(f"#{row['query_id']}", []).append(row["candidate_id"])
    threads = {key: entry for key, entry in found.items() if key.startswith("#")}
    assert {key: [each["id"] for each in entry["candidates"]] for key, entry in threads.items()} == expected
    assert all(each["html"] for entry in threads.values() for each in entry["candidates"])

    authors = {row["document_id"]: row["author"] for row in attributions(run).collect()}
    assert all(each["author"] == authors[each["id"]] for entry in threads.values() for each in entry["candidates"])
    assert {entry["author"] for entry in threads.values()} == {authors[key[1:]] for key in threads} != {None}

    titles = {row["post_id"]: row["subject"] for row in run.read(POSTS).collect()}
    for key, entry in threads.items():
        assert entry["title"] == titles[key[1:]]
        for word in set(re.findall(r"\w+", entry["title"].lower())):
            assert [key[1:], entry["title"]] in found[word]["threads"]
