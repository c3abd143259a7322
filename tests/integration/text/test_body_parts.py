"""The HTML bodies of posts, taken apart once each."""

from pyspark.sql import SparkSession

from cqa_spark.lake.schemas.text import BODIES
from cqa_spark.text.markup import body_parts, distinct_bodies, with_prose

HTML = "<p>Try <code>ls</code></p><pre><code>ls -l\n</code></pre>"


def test_bodies_are_taken_apart_once_each_and_prose_takes_their_place(spark: SparkSession) -> None:
    posts = spark.createDataFrame(
        [("1", 1, HTML), ("2", 2, HTML), ("3", 2, ""), ("4", None, "a <b>"), ("5", 1, None)],
        "post_id string, post_type_id int, body string",
    )
    parts = body_parts(distinct_bodies(posts)).persist()
    assert parts.columns == [column.name for column in BODIES.columns]
    assert sorted(tuple(row)[1:] for row in parts.collect()) == [
        ("", [], [], [], []),
        ("Try ls", ["ls -l\n"], [], [], []),
    ]
    shown = with_prose(posts, parts)
    assert shown.columns == posts.columns
    assert {row.post_id: row.body for row in shown.collect()} == {
        "1": "Try ls",
        "2": "Try ls",
        "3": "",
        "4": "a <b>",
        "5": None,
    }
