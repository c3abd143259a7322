from __future__ import annotations

from pyspark.sql import SparkSession

from cqa_spark.text.markup.bodies import BODY_PARTS, body_parts


def test_bodies_of_a_frame_are_taken_apart(spark: SparkSession) -> None:
    bodies = spark.createDataFrame(
        [("<p>Try <code>ls</code></p><pre><code>ls -l\n</code></pre>", 5, "a"), (None, 6, "b")],
        "body string, score int, body_id string",
    )
    parts = body_parts(bodies)
    assert parts.schema == BODY_PARTS
    assert {row.body_id: tuple(row)[1:] for row in parts.collect()} == {
        "a": ("Try ls", ["ls -l\n"], [], [], []),
        "b": ("", [], [], [], []),
    }
