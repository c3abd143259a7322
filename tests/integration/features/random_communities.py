"""Invented communities and random edits of them; each site is a world of its own, so that one run tries many."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table

START = datetime(2020, 1, 1, tzinfo=UTC)
PEOPLE, THREADS, ANSWERS = 6, 5, 3
TAGS = ("ale", "stout", "wine")

Row = dict[str, Any]
World = dict[str, dict[str, Row]]
"""By table name and id, the rows of one site."""


def invent(site: str, rng: Random) -> World:
    """A small community: some posts without owner, votes and comments for posts that are not there."""
    world: World = {table: {} for table in ("posts", "comments", "users", "votes", "badges")}
    for person in range(PEOPLE):
        world["users"][f"u{person}"] = {"user_id": f"u{person}", "created_at": _moment(rng), "reputation": 1}
    for _ in range(THREADS):
        add_thread(world, rng)
    for _ in range(25):
        add_small(world, rng)
    for table in world.values():
        for row in table.values():
            row["site"] = site
    return world


def edit(world: World, rng: Random) -> World:
    """The same community after some changes of every kind."""
    later = {table: {key: dict(row) for key, row in rows.items()} for table, rows in world.items()}
    site = next(iter(world["users"].values()))["site"]
    for _ in range(rng.randint(1, 3)):
        _change(later, rng)
    for table in later.values():
        for row in table.values():
            row["site"] = site
    return later


def add_thread(world: World, rng: Random) -> None:
    thread = f"q{rng.getrandbits(40)}"
    asked = _moment(rng)
    world["posts"][thread] = {
        "post_id": thread, "thread_id": thread, "post_type": "question", "user_id": _person(rng), "created_at": asked,
        "active_at": asked, "tags": rng.sample(TAGS, rng.randint(1, 2)), "view_count": 1, "body": "How long?",
    }  # fmt: skip
    for _ in range(rng.randint(1, ANSWERS)):
        add_answer(world, rng, thread)


def add_answer(world: World, rng: Random, thread: str) -> None:
    answer, at = f"a{rng.getrandbits(40)}", _moment(rng)
    world["posts"][answer] = {
        "post_id": answer, "thread_id": thread, "post_type": "answer", "user_id": _person(rng), "created_at": at,
        "active_at": at, "body": "Two weeks.",
    }  # fmt: skip


def add_small(world: World, rng: Random) -> None:
    """A comment, vote or badge; now and then for a post that is not there."""
    number = f"x{rng.getrandbits(40)}"
    post = rng.choice([*sorted(world["posts"]), "gone"])
    kind = rng.choice(("comments", "comments", "votes", "votes", "badges"))
    said = rng.choice(("Good!", "No."))
    world[kind][number] = {
        "comments": {"comment_id": number, "post_id": post, "user_id": _person(rng), "body": said},
        "votes": {"vote_id": number, "post_id": post, "vote_type_id": rng.choice((1, 2, 2, 3))},
        "badges": {"badge_id": number, "user_id": f"u{rng.randrange(PEOPLE)}", "name": rng.choice(("A", "B"))},
    }[kind] | ({"earned_at": _moment(rng)} if kind == "badges" else {"created_at": _moment(rng)})  # fmt: skip


def frames(spark: SparkSession, worlds: list[World]) -> Mapping[str, DataFrame]:
    """The worlds' tables by name."""
    return {table.name: _frame(spark, table, worlds) for table in (POSTS, COMMENTS, USERS, VOTES, BADGES)}


def _change(world: World, rng: Random) -> None:
    posts = world["posts"]
    post = posts[rng.choice(sorted(posts))]
    kind = rng.randrange(9)
    if kind == 0:
        add_thread(world, rng)
    elif kind == 1:
        add_answer(world, rng, post["thread_id"])
    elif kind == 2:
        for _ in range(3):
            add_small(world, rng)
    elif kind == 3:
        del posts[post["post_id"]]
    elif kind == 4:
        post["user_id"] = _person(rng)
    elif kind == 5 and post["post_type"] == "question":
        post["tags"] = rng.sample(TAGS, 1)
        answers = [
            key for key, row in posts.items() if row["thread_id"] == post["thread_id"] and key != row["thread_id"]
        ]
        post["accepted_answer_id"] = rng.choice([*sorted(answers), None])
    elif kind == 6:
        post["created_at"] = _moment(rng)
    elif kind == 7:
        post["thread_id"] = rng.choice(sorted(posts))
    else:
        table = rng.choice(("comments", "votes", "badges", "users"))
        if world[table]:
            row = world[table].pop(rng.choice(sorted(world[table])))
            if rng.random() < 0.5 and "created_at" in row:
                row["created_at"] = _moment(rng)
                world[table][next(value for name, value in row.items() if name.endswith("_id"))] = row


def _frame(spark: SparkSession, table: Table, worlds: list[World]) -> DataFrame:
    filled = {"split": "unannotated", "source_file": "f"}
    rows = [
        tuple((filled | row).get(field.name) for field in table.columns)
        for world in worlds
        for row in world[table.name].values()
    ]
    return spark.createDataFrame(rows, table.schema)


def _person(rng: Random) -> str | None:
    return rng.choice([*(f"u{number}" for number in range(PEOPLE)), None])


def _moment(rng: Random) -> datetime:
    return START + timedelta(hours=rng.randrange(24 * 6))
