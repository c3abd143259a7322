"""A small Stack Exchange community, written down as literals: a question with three answers, and what went on around.

The question 1 was asked on 2 March 2020 at 10:00, so that its cut, 24 hours later, is on 3 March at 10:00. User 10
asks; 20, a deleted account and 30 answer; the answer of 30 is accepted on the day of the cut, and so after it.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.lake.table import Table

SITE = "beer.example.org"
ACCEPTED, UP, DOWN = 1, 2, 3


def at(month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    """A moment of 2020."""
    return datetime(2020, month, day, hour, minute, tzinfo=UTC)


def seconds(month: int, day: int, hour: int = 0, minute: int = 0) -> float:
    """The same as a feature's value."""
    return at(month, day, hour, minute).timestamp()


QUESTIONS = [
    # id, asker, time, tags, score, accepted answer
    ("1", "10", at(3, 2, 10), ["x", "y"], 5, "13"),
    ("2", "40", at(2, 1), ["x"], 2, "21"),
    ("3", "20", at(2, 20), ["y", "z"], 1, "31"),
    ("4", "40", at(4, 1), ["z"], 9, "41"),
]
ANSWERS = [
    # id, question, author, time
    ("11", "1", "20", at(3, 2, 12)),
    ("12", "1", None, at(3, 2, 18)),
    ("13", "1", "30", at(3, 3, 9)),
    ("21", "2", "20", at(2, 2)),
    ("22", "2", "30", at(2, 3)),
    ("31", "3", "30", at(2, 21)),
    ("41", "4", "20", at(4, 2)),
]
TEXTS_OF_POSTS = {
    "1": ("Which beer", "<p>keeps well?</p>"),
    "11": (None, "<p>A stout <b>keeps</b> well.</p>"),
    "12": (None, ""),
    "13": (None, "<p>Any beer!</p>"),
}
COMMENT_ROWS = [
    # post, user, time, text
    ("1", "20", at(3, 2, 10, 30), "Which beer?"),
    ("1", "10", at(3, 2, 10, 45), "A stout."),
    ("1", "30", at(3, 3, 8), "How old?"),
    ("1", "10", at(3, 3, 11), "A year."),
    ("11", "10", at(3, 2, 12, 30), "Great answer, thanks! It works."),
    ("11", "20", at(3, 2, 12, 45), "The bottle is brown."),
    ("11", "10", at(3, 4), "This is terrible."),
    ("13", "10", at(3, 4, 1), "Great!"),
    ("2", "20", at(2, 3), "Try it cold."),
    ("21", "30", at(4, 5), "So did I."),
]
VOTE_ROWS = [
    # post, kind, day, number; known from the next day on
    ("11", UP, at(3, 2), 2),
    ("11", UP, at(3, 3), 1),
    ("13", ACCEPTED, at(3, 3), 1),
    ("2", UP, at(2, 3), 2),
    ("3", UP, at(2, 22), 1),
    ("21", UP, at(2, 5), 3),
    ("21", DOWN, at(2, 6), 1),
    ("21", ACCEPTED, at(2, 10), 1),
    ("22", UP, at(3, 2), 1),
    ("22", UP, at(3, 3), 1),
    ("31", ACCEPTED, at(3, 3), 1),
    ("41", ACCEPTED, at(4, 3), 1),
]
BADGE_ROWS = [
    # user, name, time
    ("10", "Student", at(2, 1)),
    ("20", "Student", at(2, 21)),
    ("20", "Teacher", at(2, 10)),
    ("30", "Teacher", at(3, 3, 11)),
    ("30", "Teacher", at(3, 9)),
    ("20", "Guru", at(4, 5)),
]
USER_ROWS = [
    # id, registration, reputation
    ("10", at(1, 1), 50),
    ("20", at(1, 2), 777),
    ("30", at(3, 3, 10, 30), 333),
    ("40", at(1, 4), 1),
]


def community(spark: SparkSession, **others: Any) -> FeatureInputs:
    """The inputs of feature groups, with the question 1 as the one example.

    Args:
        spark: the session.
        others: fields of the inputs that are to be otherwise.
    """
    examples = [
        {"task": "preferred_answer", "query_id": "1", "candidate_id": answer, "thread_id": "1", "fold_key": "1",
         "author_id": author, "asker_id": QUESTIONS[0][1], "asked_at": QUESTIONS[0][2], "answered_at": when,
         "initial_rank": rank, "label": int(answer == "13"), "relevant": answer == "13",
         "split": "train"}
        for rank, (answer, _, author, when) in enumerate(ANSWERS[:3], start=1)
    ]  # fmt: skip
    votes = [
        {"vote_id": f"{place}-{number}", "post_id": post, "vote_type_id": kind, "created_at": day}
        for place, (post, kind, day, count) in enumerate(VOTE_ROWS) for number in range(count)
    ]  # fmt: skip
    tables: dict[str, Any] = {
        "examples": table(spark, EXAMPLES, examples),
        "posts": table(spark, POSTS, posts()),
        "comments": table(spark, COMMENTS, [
            {"comment_id": str(number), "post_id": post, "user_id": user, "created_at": when, "body": text}
            for number, (post, user, when, text) in enumerate(COMMENT_ROWS, start=1)
        ]),
        "documents": table(spark, DOCUMENTS, []),
        "texts": table(spark, TEXTS, []),
        "users": table(spark, USERS, [
            {"user_id": user, "created_at": when, "reputation": points} for user, when, points in USER_ROWS
        ]),
        "votes": table(spark, VOTES, votes),
        "badges": table(spark, BADGES, [
            {"badge_id": str(number), "user_id": user, "name": name, "earned_at": when}
            for number, (user, name, when) in enumerate(BADGE_ROWS)
        ]),
    }  # fmt: skip
    return FeatureInputs(**tables | others)


def posts() -> list[dict[str, object]]:
    """Questions and answers; every question had 500 views and was last active in May."""
    asked: list[dict[str, object]] = [
        {"post_id": post, "post_type": "question", "thread_id": post, "user_id": user, "created_at": when,
         "tags": tags, "score": score, "accepted_answer_id": accepted, "view_count": 500, "active_at": at(5, 1)}
        for post, user, when, tags, score, accepted in QUESTIONS
    ]  # fmt: skip
    answered: list[dict[str, object]] = [
        {"post_id": post, "post_type": "answer", "thread_id": question, "user_id": user, "created_at": when,
         "active_at": at(4, 1)}
        for post, question, user, when in ANSWERS
    ]  # fmt: skip
    texts = {post: dict(zip(("subject", "body"), text, strict=True)) for post, text in TEXTS_OF_POSTS.items()}
    return [row | texts.get(str(row["post_id"]), dict.fromkeys(("subject", "body"))) for row in asked + answered]


def table(spark: SparkSession, declared: Table, rows: Sequence[Mapping[str, object]]) -> DataFrame:
    """A table of rows that name what they fill."""
    filled = {"site": SITE, "split": "unannotated", "source_file": "literal"}
    complete = [tuple((filled | dict(row)).get(field.name) for field in declared.columns) for row in rows]
    return spark.createDataFrame(complete, declared.schema)
