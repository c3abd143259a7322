"""The four real dumps of three sites, read by one call: counts as published with them."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot, published_snapshot
from cqa_spark.lake.table import Table
from cqa_spark.tasks.preferred_answer.examples import judged_answers

BEER, BICYCLES, QUANTUM = (
    "beer.stackexchange.com",
    "bicycles.meta.stackexchange.com",
    "quantumcomputing.stackexchange.com",
)
DUMPS = (f"{BEER}/2016-09", f"{BEER}/2016-12", BICYCLES, QUANTUM)

pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def lake(spark: SparkSession, cqa_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, str(tmp_path_factory.mktemp("real") / "lake"))
    folders = [str(cqa_data / "stackexchange" / dump) for dump in DUMPS]
    more = ["--lake", lake.root, "--run-id", "real", "--people-columns", "users.about"]
    assert main(["ingest", "stackexchange", "--input", *folders, *more]) == 0
    return lake


@pytest.fixture(scope="module")
def first(lake: Lake) -> Snapshot:
    """What the first of two runs published: the first dump of every site."""
    return Snapshot(lake, RunLog(lake.objects).require_success("real"))


@pytest.fixture(scope="module")
def published(lake: Lake) -> Snapshot:
    return published_snapshot(lake)


def by_site(snapshot: Snapshot, table: Table, condition: str = "true") -> dict[str, int]:
    counts = snapshot.read(table).where(condition).groupBy("site").count().collect()
    return {row["site"]: row["count"] for row in counts}


def test_every_dump_of_a_site_is_a_run_of_its_own(lake: Lake, published: Snapshot) -> None:
    statuses = [(record.run_id, record.status) for record in RunLog(lake.objects).records()]
    assert statuses == [(run, status) for run in ("real", "real-2") for status in ("running", "succeeded", "published")]
    assert published.record.run_id == "real-2"
    assert {Path(each.path).parent.name for each in published.record.inputs} == {"2016-12"}


@pytest.mark.parametrize(
    ("table", "quantum", "bicycles"),
    [
        (POSTS, 1986, 1446),
        (USERS, 3461, 2551),
        (COMMENTS, 3413, 2448),
        (VOTES, 12560, 5671),
        (BADGES, 4671, 6585),
        (TAGS, 154, 94),
        (POST_LINKS, 327, 189),
        (POST_HISTORY, None, 3994),
    ],
    ids=lambda value: value.name if isinstance(value, Table) else None,
)
def test_rows(published: Snapshot, table: Table, quantum: int | None, bicycles: int) -> None:
    counts = by_site(published, table)
    assert (counts.get(QUANTUM), counts[BICYCLES]) == (quantum, bicycles)


def test_kinds_of_posts(first: Snapshot, published: Snapshot) -> None:
    questions, answers = "post_type = 'question'", "post_type = 'answer'"
    assert by_site(published, POSTS) == {QUANTUM: 1986, BICYCLES: 1446, BEER: 2106}
    assert by_site(published, POSTS, questions) == {QUANTUM: 612, BICYCLES: 453, BEER: 591}
    assert by_site(published, POSTS, answers) == {QUANTUM: 1060, BICYCLES: 971, BEER: 1398}
    before = [by_site(first, POSTS, condition)[BEER] for condition in ("true", questions, answers)]
    assert before == [2008, 561, 1330]


def test_the_later_dump_takes_the_place_of_the_earlier(first: Snapshot, published: Snapshot) -> None:
    earlier, later = (each.read(POSTS).where(F.col("site") == BEER).select("post_id") for each in (first, published))
    assert later.exceptAll(earlier).count() == 134
    assert earlier.exceptAll(later).count() == 36


def test_nothing_is_refused_and_nothing_lost(published: Snapshot) -> None:
    assert not published.has(QUARANTINE)
    files = published.entries(INGESTED_FILES)
    assert Counter(file["site"] for file in files) == {QUANTUM: 7, BICYCLES: 8, BEER: 8}
    for file in files:
        assert file["is_complete"], file
        assert file["lines"] == file["rows_in"] + file["not_rows"], file
        assert file["rows_in"] == file["rows_out"], file
        assert file["not_rows"] == 3, file  # the prolog, the root's two tags


def test_rows_that_point_to_nothing(published: Snapshot) -> None:
    counts = {
        entry["site"]: entry["rows"]
        for entry in published.entries(ORPHANS)
        if (entry["table_name"], entry["reference"]) == ("votes", "post_id")
    }
    assert (counts[QUANTUM], counts[BICYCLES]) == (587, 163)


def test_posts_without_owner(published: Snapshot) -> None:
    counts = by_site(published, POSTS, "user_id is null")
    assert (counts[QUANTUM], counts[BICYCLES]) == (2, 41)


def test_accepted_answers_and_duplicates(first: Snapshot, published: Snapshot) -> None:
    assert accepted(published) == {QUANTUM: 389, BICYCLES: 157, BEER: 359}
    assert accepted(first)[BEER] == 340
    assert by_site(published, POST_LINKS, "link_type_id = 3") == {QUANTUM: 14, BICYCLES: 10, BEER: 17}


def accepted(snapshot: Snapshot) -> Counter[str]:
    """The number of accepted answers by site."""
    judged = judged_answers(snapshot.read(POSTS), snapshot.read(VOTES)).where("accepted")
    return Counter(row["site"] for row in judged.select("site").collect())


def test_licences_as_stated(published: Snapshot) -> None:
    assert by_site(published, POSTS, "content_license is not null") == {BICYCLES: 1446}


def test_texts_as_lxml_reads_them(published: Snapshot, cqa_data: Path) -> None:
    from lxml import etree

    folder = cqa_data / "stackexchange" / BICYCLES
    for table, name, key in (
        (POSTS, "Posts", "post_id"),
        (USERS, "Users", "user_id"),
        (COMMENTS, "Comments", "comment_id"),
    ):
        text = "about" if table is USERS else "body"
        attribute = {"Posts": "Body", "Users": "AboutMe", "Comments": "Text"}[name]
        rows = etree.parse(folder / f"{name}.xml", etree.XMLParser(huge_tree=True)).iter("row")
        expected = {row.get("Id"): row.get(attribute) for row in rows}
        read = published.read(table).where(F.col("site") == BICYCLES).select(key, text).collect()
        assert {row[key]: row[text] for row in read} == expected
