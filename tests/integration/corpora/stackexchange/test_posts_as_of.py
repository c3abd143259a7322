"""Posts as they were at a moment."""

from datetime import UTC, datetime

from pyspark.sql import SparkSession

from cqa_spark.lake.schemas.activity import POST_HISTORY
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.steps.restore_texts import posts_as_of


def at(hour: int) -> datetime:
    return datetime(2020, 1, 1, hour, tzinfo=UTC)


CUT = at(10)
NOW = {"subject": "new title", "body": "<p>new body</p>", "tags": ["new"], "edited_at": at(20)}
POST_ROWS = ["edited", "twice", "rolled back", "unedited", "history is incomplete", "other"]
HISTORY = [
    ("edited", 1, 1, "old title"),
    ("edited", 1, 2, "*old* body"),
    ("edited", 1, 3, "<old><tag>"),
    ("edited", 20, 4, "new title"),
    ("edited", 20, 5, "new body"),
    ("edited", 20, 6, "<new>"),
    ("twice", 1, 2, "first"),
    ("twice", 5, 5, "second"),
    ("twice", 20, 5, "third"),
    ("twice", 21, 10, "closed"),
    ("rolled back", 1, 2, "first"),
    ("rolled back", 5, 5, "second"),
    ("rolled back", 5, 8, "first again"),
    ("rolled back", 20, 5, "third"),
    ("unedited", 1, 2, "only"),
    ("unedited", 5, 5, "edited before the moment"),
    ("history is incomplete", 20, 5, "later"),
    ("other", 1, 2, "old"),
    ("other", 20, 5, "new"),
]


def test_later_edits_are_undone(spark: SparkSession) -> None:
    posts = POSTS.complete(
        spark.createDataFrame(
            [("s", name, name, *NOW.values(), "answer", "train", "f") for name in POST_ROWS],
            "site string, post_id string, thread_id string, subject string, body string, tags array<string>, "
            "edited_at timestamp, post_type string, split string, source_file string",
        )
    )
    history = POST_HISTORY.complete(
        spark.createDataFrame(
            [("s", str(number), *row, "f") for number, row in enumerate(HISTORY, start=9)],
            "site string, history_id string, post_id string, hour int, history_type_id int, text string, "
            "source_file string",
        )
        .selectExpr("*", "timestamp'2020-01-01 00:00:00' + make_interval(0, 0, 0, 0, hour) AS created_at")
        .drop("hour")
    )
    moments = spark.createDataFrame(
        [("s", name, CUT) for name in POST_ROWS if name != "other"], "site string, post_id string, moment timestamp"
    )
    found = posts_as_of(posts, history, moments)
    assert found.columns == posts.columns
    rows = {row["post_id"]: row for row in found.collect()}
    assert {name: (row["subject"], row["body"], row["tags"]) for name, row in rows.items()} == {
        "edited": ("old title", "<p><em>old</em> body</p>\n", ["old", "tag"]),
        "twice": ("new title", "<p>second</p>\n", ["new"]),
        "rolled back": ("new title", "<p>first again</p>\n", ["new"]),
        "history is incomplete": ("new title", "<p>new body</p>", ["new"]),
    }
    edited_at = {name: row["edited_at"] and row["edited_at"].astimezone(UTC) for name, row in rows.items()}
    assert edited_at == {"edited": None, "twice": at(5), "rolled back": at(5), "history is incomplete": at(20)}
