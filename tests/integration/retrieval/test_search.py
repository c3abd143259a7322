"""The number of shards changes neither candidates nor scores, and a grown index is the one built at once."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.index import index_shards, questions
from cqa_spark.retrieval.search import search
from cqa_spark.retrieval.search_result import fuse

_WORDS = ["beer", "cellar", "yeast", "glass", "malt", "hop", "foam", "taste", "cold", "warm", "bottle", "keg"]
_NOTICE = (
    '<blockquote>\n  <p><strong>Possible Duplicate:</strong><br>\n  <a href="/q/1">Secretword</a>  </p>\n</blockquote>'
)


@pytest.fixture(scope="module")
def asked(spark: SparkSession) -> DataFrame:
    """Two sites of 60 questions, among them empty ones, code alone, 50 kB, other scripts, and one with a notice."""
    draw = random.Random(7)
    bodies = ["", None, "<pre><code>x = 1</code></pre>", f"<p>{'malt ' * 10_000}</p>", "<p>Пиво и хмель</p>"]
    bodies += [f"{_NOTICE}<p>Cold foam?</p>"]
    rows = []
    for site in ("a.org", "b.org"):
        for number in range(1, 61):
            body = bodies[number] if number < len(bodies) else f"<p>{' '.join(draw.choices(_WORDS, k=8))}</p>"
            subject = None if number == 3 else " ".join(draw.choices(_WORDS, k=4))
            at = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=number // 2)
            rows.append((site, str(number), "question", 1, str(number), at, subject, body, "unannotated", "Posts.xml"))
    columns = ("site", "post_id", "post_type", "post_type_id", "thread_id", "created_at", "subject", "body", "split")
    types = {field.name: field.dataType.simpleString() for field in POSTS.columns}
    schema = ", ".join(f"{name} {types[name]}" for name in (*columns, "source_file"))
    without = questions(POSTS.complete(spark.createDataFrame(rows, schema)))
    angle = F.col("post_id").cast("int") % 17
    vector = F.array(F.cos(angle).cast("float"), F.sin(angle).cast("float"))
    return without.withColumn("vector", F.when(F.col("post_id") != "7", vector)).persist()


def _found(shards: DataFrame, queries: DataFrame, *deleted: str) -> list[tuple[object, ...]]:
    gone = queries.where(F.col("post_id").isin(*deleted) & (F.col("site") == "a.org")).select("site", "post_id")
    found = fuse(search(shards, queries, gone, Bm25(), 10), 10)
    return sorted(map(tuple, found.select("site", "query_id", "rank", *found.columns).collect()))


@pytest.fixture(scope="module")
def of_one(asked: DataFrame) -> list[tuple[object, ...]]:
    """What is found for every question in one shard."""
    return _found(index_shards(asked, 60), asked)


def test_the_number_of_shards_changes_neither_candidates_nor_scores(
    asked: DataFrame, of_one: list[tuple[object, ...]]
) -> None:
    assert len(of_one) > 1000
    assert _found(index_shards(asked, 12), asked) == of_one
    few_of_b = index_shards(asked.where("site = 'a.org' OR post_id < '2'"), 12)
    assert dict(few_of_b.groupBy("site").count().collect()) == {"a.org": 5, "b.org": 1}


def test_a_grown_index_finds_what_one_built_at_once_finds(asked: DataFrame, of_one: list[tuple[object, ...]]) -> None:
    new = F.col("post_id").cast("int") > 50
    grown = index_shards(asked.where(~new), 25).unionByName(index_shards(asked.where(new), 60, prefix="night-"))
    assert _found(grown, asked.where(new)) == [row for row in of_one if int(str(row[1])) > 50]


def test_deleted_questions_of_a_site_take_no_place(asked: DataFrame) -> None:
    one, four = (_found(index_shards(asked, size), asked, "2", "30") for size in (60, 15))
    assert one == four
    candidates = {(site, candidate) for site, _, _, _, _, candidate, *_ in one}
    assert candidates.isdisjoint({("a.org", "2"), ("a.org", "30")})
    assert candidates >= {("b.org", "2"), ("b.org", "30")}
    by_words = [row for row in one if row[:2] == ("a.org", "60") and row[7] is not None]
    assert len(by_words) == 10


def test_notices_of_duplicates_are_not_indexed(asked: DataFrame) -> None:
    terms = index_shards(asked, 60).select(F.explode("vocabulary").alias("term"))
    assert terms.where("term IN ('secretword', 'duplic', 'possibl')").count() == 0
    assert terms.where("term = 'пиво'").count() == 2
