"""Deleted posts, posts that the archive invents, and ids far above the rest."""

from pyspark.sql import SparkSession

from cqa_spark.corpora.stackexchange.ingest import unusual_posts

GARDEN, BEER = "garden.example.org", "beer.example.org"
ROWS = [
    *[(GARDEN, post, "answer") for post in ("1", "2", "3", "4", "6", "999999999", "1000000001", "1000000010")],
    (GARDEN, "1000000011", "answer"),
    (GARDEN, "1000000012", "answer"),
    (BEER, "5", "question"),
    (BEER, "500", "question"),
    (BEER, "501", "deleted"),
]


def test_a_sentence_for_every_site_with_unusual_posts(spark: SparkSession) -> None:
    rows = [(site, post, "invented" if post in ("1000000001", "1000000010") else kind) for site, post, kind in ROWS]
    assert unusual_posts(spark.createDataFrame(rows, "site string, post_id string, post_type string")) == [
        "beer.example.org: deleted posts of the dump: 1; their type is deleted, and nothing uses them",
        "garden.example.org: 2 posts were invented by the archive; their type is invented, and nothing uses them; "
        "--keep-invented uses them",
        "garden.example.org: the post 1000000012 has an id far above the rest, of which the median is 4; it may not be "
        "the site's own",
    ]
    posts = spark.createDataFrame(ROWS, "site string, post_id string, post_type string")
    assert [sentence.split(" has ")[0] for sentence in unusual_posts(posts)] == [
        "beer.example.org: deleted posts of the dump: 1; their type is deleted, and nothing uses them",
        "garden.example.org: the post 1000000012",
    ]
