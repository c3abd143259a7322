"""A dump that is mostly as the one before: what changed is read, and the tables are those that reading all gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark import flows
from cqa_spark.cli import main
from cqa_spark.config.dump_settings import DumpSettings, IngestStackExchangeSettings
from cqa_spark.corpora.registry import dump_sources
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.storage import Lake
from cqa_spark.runtime.workspace import run_flow_in, write_lake

SITES = 10
BLOCKS = (0, 10_000, 20_000, 30_000)
BAD = '<row Id="{id}" PostTypeId="question" Body="not a number" />'
ELSEWHERE = '<row PostTypeId="1" Id="{id}" Body="named its id later" />'

Dump = list[str]


def invent(rng: Random) -> Dump:
    """Questions and answers with ids in four blocks."""
    rows = []
    for first in BLOCKS:
        rows.append(f'<row Id="{first + 1}" PostTypeId="1" Body="q{rng.random()}" />')
        for answer in range(2, 5):
            rows.append(f'<row Id="{first + answer}" PostTypeId="2" ParentId="{first + 1}" Body="a{rng.random()}" />')
    return rows


def edit(rows: Dump, kind: int, rng: Random) -> Dump:
    """The same dump later, changed in one place; by the last kinds in a way that takes a closer look."""
    place = rng.choice([place for place, row in enumerate(rows) if row.startswith("<row Id")])
    row = rows[place]
    row_id = row.split('"')[1]
    new = rng.choice(BLOCKS) + 9
    changed = {
        0: [row],
        1: [row.replace("Body", 'Title="t" Body')],
        2: [],
        3: [row, f'<row Id="{new}" PostTypeId="1" Body="new" />'],
        4: [f'<row Id="90000" PostTypeId="2" ParentId="{row_id}" Body="new" />', row.replace('Body="', 'Body="&lt;')],
        5: [row, row],
        6: [row, row.replace("Body", 'Title="other" Body')],
        7: [row, BAD.format(id=new)],
        8: [row, ELSEWHERE.format(id=new)],
        9: [row, "what is this?"],
    }[kind]
    return [*rows[:place], *changed, *rows[place + 1 :]]


def write(folder: Path, dumps: dict[str, Dump]) -> Path:
    for site, rows in dumps.items():
        (folder / site).mkdir(parents=True)
        lines = ['<?xml version="1.0" encoding="utf-8"?>', "<posts>", *rows, "</posts>"]
        (folder / site / "Posts.xml").write_text("\n".join(lines), encoding="utf-8")
    return folder


def ingest(lake: Lake, folder: Path, *more: str) -> Snapshot:
    here = ["--input", str(folder), "--lake", lake.root, "--run-id", folder.name, "--incremental-from", "0"]
    assert main(["ingest", "stackexchange", *here, "--tables", "posts", "--max-bad-fraction", "1", *more]) == 0
    return published_snapshot(lake)


def rows_of(snapshot: Snapshot) -> dict[str, list[tuple[object, ...]]]:
    """What was read; but for the posts, whence."""
    posts, quarantine = snapshot.read(POSTS).drop("source_file"), snapshot.present([QUARANTINE]).get(QUARANTINE.name)
    rows = {"posts": map(tuple, posts.collect()), "quarantine": map(tuple, quarantine.collect() if quarantine else ())}
    rows |= {
        table.name: (tuple(each.values()) for each in snapshot.entries(table)) for table in (INGESTED_FILES, ORPHANS)
    }
    return {name: sorted(found, key=repr) for name, found in rows.items()}


def lines_step(snapshot: Snapshot) -> tuple[int, int]:
    (step,) = (step for step in snapshot.record.steps if step.step == "lines")
    return step.rows_in, step.rows_out


@pytest.mark.slow
def test_random_edits(spark: SparkSession, tmp_path: Path) -> None:
    """Ten sites with one edit each, then with another: the same tables as in a lake that starts with the dump."""
    rng = Random(11)
    dumps = {f"s{number}.example.org": invent(rng) for number in range(SITES)}
    kinds = {site: number % 10 for number, site in enumerate(dumps)}
    later = {site: edit(rows, kinds[site], rng) for site, rows in dumps.items()}
    latest = {site: edit(rows, rng.randrange(10), rng) for site, rows in later.items()}
    lake = Lake(spark, str(tmp_path / "lake"))
    ingest(lake, write(tmp_path / "monday", dumps))
    for day, content in (("tuesday", later), ("wednesday", latest)):
        folder = write(tmp_path / day, content)
        found = ingest(lake, folder)
        assert rows_of(found) == rows_of(ingest(Lake(spark, str(tmp_path / f"fresh {day}")), folder))
        if day == "tuesday":
            counts = found.read(POSTS).groupBy("site").agg(F.count_if(F.col("source_file").contains("monday")))
            kept = {(kinds[site], rows) for site, rows in counts.collect()}
            # Unchanged, edited (and another one, also with a new row), gone; a closer look takes the whole file.
            assert kept == {(0, 16), (1, 15), (2, 15), (3, 16), (4, 15), *[(kind, 0) for kind in range(5, 10)]}


@pytest.fixture(scope="module")
def published(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, Path]:
    """A lake with one dump, and the dump."""
    folder = tmp_path_factory.mktemp("again")
    lake, dump = Lake(spark, str(folder / "lake")), write(folder / "monday", {"s.example.org": invent(Random(3))})
    ingest(lake, dump)
    return lake, dump


def test_what_is_the_same_is_not_written(published: tuple[Lake, Path]) -> None:
    lake, dump = published
    before = published_snapshot(lake)
    again = ingest(lake, dump.rename(dump.with_name("again")))
    assert again.record.table_versions[POSTS.name] == before.record.table_versions[POSTS.name]
    assert again.entries(ORPHANS) == before.entries(ORPHANS)
    assert lines_step(before) == (19, 19)
    assert lines_step(again) == (19, 0)


def test_all_is_read_again_where_that_is_asked_for(published: tuple[Lake, Path], tmp_path: Path) -> None:
    lake, _ = published
    found = ingest(lake, write(tmp_path / "asked", {"s.example.org": invent(Random(3))}), "--read-again")
    assert lines_step(found) == (19, 19)
    assert found.read(POSTS).where(F.col("source_file").contains("asked")).count() == 16


def test_counters_alone_are_read_when_something_reads_them(spark: SparkSession, tmp_path: Path) -> None:
    """Every question was viewed and one was edited; then an answer has another score, and nothing else changed."""
    monday = [row.replace('TypeId="1" Body', 'TypeId="1" ViewCount="5" Body') for row in invent(Random(3))]
    edited = [row.replace('ViewCount="5"', 'ViewCount="6"') for row in monday]
    edited[4] = edited[4].replace("Body", 'Title="t" Body')
    voted = [edited[0], edited[1].replace("Body", 'Score="1" Body'), *edited[2:]]
    scored = [row.replace('Score="1"', 'Score="2"') for row in voted]
    lake = Lake(spark, str(tmp_path / "lake"))
    ingest(lake, write(tmp_path / "monday", {"s.example.org": monday}))
    views = {}
    for day, rows, reads_counters in (
        ("tuesday", edited, False), ("wednesday", voted, False), ("thursday", scored, False), ("friday", scored, True),
    ):  # fmt: skip
        found = ingest_dump(lake, write(tmp_path / day, {"s.example.org": rows}), reads_counters=reads_counters)
        read = found.read(POSTS).where("post_id IN ('1', '2', '10001')").orderBy(F.expr("int(post_id)"))
        views[day] = [(row["view_count"], row["score"]) for row in read.collect()]
    assert views == {
        "tuesday": [(5, None), (None, None), (6, None)],
        "wednesday": [(6, None), (None, 1), (6, None)],
        "thursday": [(6, None), (None, 1), (6, None)],
        "friday": [(6, None), (None, 2), (6, None)],
    }
    assert rows_of(found) == rows_of(ingest(Lake(spark, str(tmp_path / "fresh")), tmp_path / "friday"))


def ingest_dump(lake: Lake, folder: Path, *, reads_counters: bool) -> Snapshot:
    settings = IngestStackExchangeSettings(
        lake=lake.root,
        run_id=folder.name,
        dumps=DumpSettings(input=(str(folder),), tables=("posts",), max_bad_fraction=1, incremental_from=0),
    )
    (source,) = dump_sources("stackexchange", settings, reads_counters=reads_counters)
    with write_lake(settings, "ingest") as leased:
        run_flow_in(leased, flows.ingest_dump(source, publish=True), settings)
    return published_snapshot(lake)
