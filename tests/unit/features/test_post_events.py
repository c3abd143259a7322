"""What happens at posts, and in an author's threads, from literal rows."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from cqa_spark.features.author_batch import CONTRIBUTIONS, UNDATED, EventKind
from cqa_spark.features.author_pass import POST, TO_BE_FOUND, post_events, with_own
from cqa_spark.features.groups.author.badges import BadgeNames
from cqa_spark.features.top_tags import TopTags

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1) // timedelta(microseconds=1)
HOUR = DAY // 24
TAGS = TopTags(by_site={"beer": ["ale", "stout"], "wine": ["red"]})

SCHEMA = pa.schema(
    [
        *((name, pa.int64()) for name in ("post", "kind", "user", "thread", "time", "answer")),
        ("is_question", pa.bool_()),
        ("site", pa.string()),
        ("tags", pa.list_(pa.string())),
    ]
)


def row(post: int, kind: int, time: int | None, user: int | None = None, **more: object) -> dict[str, object]:
    return {name: None for name in SCHEMA.names} | {"post": post, "kind": kind, "time": time, "user": user} | more


def events(rows: list[dict[str, object]], wanted: frozenset[EventKind] = frozenset(EventKind)) -> list[tuple[int, ...]]:
    """author, thread, time, kind, count and the tags' mark of each event, in order."""
    found = post_events(pa.Table.from_pylist(rows, SCHEMA), {"tags": TAGS.masks}, wanted)
    return sorted(zip(*(column.to_pylist() for column in found.columns), strict=True))


def question(**more: object) -> dict[str, object]:
    return row(1, POST, HOUR, 10, thread=1, is_question=True, site="beer", tags=["stout", "port"]) | more


def test_answers_have_the_tags_of_their_question() -> None:
    rows = [
        question(answer=12),
        row(1, EventKind.ANSWERED, None, 21, thread=1, answer=12),
        row(1, EventKind.ANSWERED, 2 * HOUR, 20, thread=1, answer=11),
        row(1, EventKind.ANSWERED, 3 * HOUR, None, thread=1, answer=13),
    ]
    assert events(rows) == [
        (10, 1, HOUR, EventKind.ASKED, 1, 0),
        (20, 1, 2 * HOUR, EventKind.ANSWERED, 1, 0b10),
        (21, 1, UNDATED, EventKind.ANSWERED, 1, 0b10),
        (21, 1, UNDATED, EventKind.CHOSEN, 1, 0b10),
    ]
    assert events(rows, frozenset({EventKind.ASKED})) == [(10, 1, HOUR, EventKind.ASKED, 1, 0)]


def test_an_answer_counts_where_its_question_is_not_there() -> None:
    assert events([row(1, EventKind.ANSWERED, HOUR, 20, thread=1, answer=11)]) == [
        (20, 1, HOUR, EventKind.ANSWERED, 1, 0)
    ]


def test_votes_of_a_day_count_together_from_its_end() -> None:
    rows = [
        row(11, POST, HOUR, 20, thread=1, is_question=False),
        row(11, EventKind.COMMENTED, 5 * HOUR, 30),
        row(11, EventKind.COMMENTED, 5 * HOUR, None),
        row(11, EventKind.UP, None),
        row(11, EventKind.UP, HOUR),
        row(11, EventKind.UP, DAY - 1),
        row(11, EventKind.UP, DAY),
        row(11, EventKind.ACCEPTED, HOUR),
    ]
    assert events(rows) == [
        (20, 1, DAY, EventKind.UP, 2, 0),
        (20, 1, DAY, EventKind.ACCEPTED, 1, TO_BE_FOUND),
        (20, 1, 2 * DAY, EventKind.UP, 1, 0),
        (20, 1, UNDATED, EventKind.UP, 1, 0),
        (30, 1, 5 * HOUR, EventKind.COMMENTED, 1, 0),
    ]


def test_what_concerns_no_post_or_nobody_is_left_out() -> None:
    rows = [
        question(user=None),
        row(1, EventKind.UP, HOUR),
        row(2, EventKind.UP, HOUR),
        row(2, EventKind.COMMENTED, HOUR, 30),
        question(post=3, thread=3),
        row(3, EventKind.ACCEPTED, HOUR),
    ]
    assert events(rows) == [(10, 3, HOUR, EventKind.ASKED, 1, 0)]


def test_what_was_done_in_the_own_thread_up_to_the_moment() -> None:
    columns = {
        "author": [1, 1, 1, 1, 1, 1, 2],
        "thread": [7, 7, 7, 7, 8, 8, 7],
        "time": [1, 2, 2, 3, 1, 2, 2],
        "kind": [
            EventKind.ANSWERED,
            EventKind.UP,
            EventKind.MOMENT,
            EventKind.ACCEPTED,
            EventKind.ACCEPTED,
            EventKind.MOMENT,
            EventKind.MOMENT,
        ],
        "count": [1, 3, 0, 1, 1, 0, 0],
        "tags": [0b10, 0, 0, TO_BE_FOUND, TO_BE_FOUND, 0, 0],
    }
    found = with_own(pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()}), ["tags"])
    assert found["tags"].to_pylist() == [0b10, 0, 0b10, 0b10, 0, 0, 0]
    own = [None if one is None else dict(zip(CONTRIBUTIONS, one, strict=True)) for one in found["own"].to_pylist()]
    none = dict.fromkeys(CONTRIBUTIONS, 0)
    accepted = none | {EventKind.ACCEPTED: 1}
    assert own == [None, None, none | {EventKind.ANSWERED: 1, EventKind.UP: 3}, None, None, accepted, none]


def test_every_site_has_tags_of_its_own() -> None:
    questions = pa.table({
        "site": ["beer", "wine", "beer", None, "cider"],
        "tags": [["red", "ale", "ale", "stout"], ["red", "ale"], None, ["ale"], ["ale"]],
    })  # fmt: skip
    assert TAGS.masks(questions).tolist() == [0b11, 0b1, 0, 0, 0]
    assert TAGS.masks(questions.slice(2, 0)).tolist() == []


def test_badges_without_a_slot_count_as_0() -> None:
    badges = pa.chunked_array([["Student", None], ["Guru", "Teacher"]], pa.string())
    assert BadgeNames(names=["Teacher", "Student"]).slots(badges).tolist() == [2, 0, 0, 1]
