"""Posts that the archive invents, and ids far above the rest."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.stackexchange.columns import column_types, table_rows
from cqa_spark.corpora.stackexchange.dump_tables import BY_FILE, DumpTable
from cqa_spark.corpora.stackexchange.ingest.unusual_posts import unusual_posts

POSTS = BY_FILE["posts"]
GARDEN, BEER = "garden.example.org", "beer.example.org"
ROWS = [
    (GARDEN, "1", 1, "7"),
    (GARDEN, "2", 2, "-1"),  # the community user owns wiki posts of the site
    (GARDEN, "3", 4, "-1"),
    (GARDEN, "4", 2, "7"),
    (GARDEN, "6", 2, "7"),
    (GARDEN, "999999999", 1, "-1"),
    (GARDEN, "1000000001", 1, "-1"),
    (GARDEN, "1000000010", 2, "-1"),
    (GARDEN, "1000000011", 2, "7"),
    (GARDEN, "1000000012", 2, None),
    (BEER, "5", 1, "7"),
    (BEER, "500", 1, "7"),
]


def read(spark: SparkSession, dump: DumpTable) -> DataFrame:
    types = {"site": "string", "source_file": "string", "unknown_attributes": "map<string,string>"}
    types |= {name: data_type.simpleString() for name, data_type in column_types(dump).items()}
    rows = [
        {"site": site, "source_file": "Posts.xml", "post_id": post, "post_type_id": kind, "user_id": user}
        for site, post, kind, user in ROWS
    ]
    schema = ", ".join(f"{name} {data_type}" for name, data_type in types.items())
    return table_rows(dump, spark.createDataFrame([tuple(map(row.get, types)) for row in rows], schema))


def test_posts_that_the_archive_invents_have_a_type_of_their_own(spark: SparkSession) -> None:
    posts = read(spark, POSTS)
    assert [row["post_type"] for row in posts.collect()] == [
        "question", "answer", "tag_wiki_excerpt", "answer", "answer", "question", "invented", "invented", "answer",
        "answer", "question", "question",
    ]  # fmt: skip
    assert unusual_posts(posts) == [
        "garden.example.org: 2 posts were invented by the archive; their type is invented, and nothing uses them; "
        "--keep-invented uses them",
        "garden.example.org: the post 1000000012 has an id far above the rest, of which the median is 4; it may not be "
        "the site's own",
    ]


def test_a_setting_keeps_them(spark: SparkSession) -> None:
    posts = read(spark, replace(POSTS, invented_from=None))
    assert posts.where("post_type = 'invented'").isEmpty()
    assert [sentence.split(" has ")[0] for sentence in unusual_posts(posts)] == [
        "garden.example.org: the post 1000000012"
    ]
