"""Values of authors from literal rows of their history, whole and cut into batches."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.features.author_batch import ALWAYS, CONTRIBUTIONS, END, UNDATED, AuthorBatch, EventKind, sums_before
from cqa_spark.features.author_pass import POST, TO_BE_FOUND, post_events, with_own
from cqa_spark.features.group import AuthorGroup
from cqa_spark.features.groups.badges import BADGE_SLOTS, BadgeNames, BadgesAsOfV1
from cqa_spark.features.groups.user import AuthorRecordAsOfV1, BasicUAsOfV1, BasicUSnapshotV1
from cqa_spark.features.groups.user_tags import UTagsAsOfV1, UTagsSnapshotV1
from cqa_spark.features.top_tags import TopTags

SECOND = 1_000_000
TAGS = TopTags(by_site={"beer": ["ale", "stout", "wine"]})
BADGES = BadgeNames(names=["Teacher", "Student"])

Row = tuple[int, int, EventKind, int, int]
"""Author, time in seconds (or ALWAYS, UNDATED, END), kind, count, and what a group noted."""

HISTORY: list[Row] = [
    (1, ALWAYS, EventKind.REGISTERED, 5 * SECOND, 0),
    (1, ALWAYS, EventKind.REPUTATION, 777, 0),
    (1, 10, EventKind.ASKED, 1, 0),
    (1, 20, EventKind.ANSWERED, 1, 0b001),
    (1, 20, EventKind.ANSWERED, 1, 0b110),
    (1, 30, EventKind.COMMENTED, 1, 0),
    (1, 40, EventKind.UP, 4, 0),
    (1, 40, EventKind.DOWN, 1, 0),
    (1, 40, EventKind.ACCEPTED, 1, 0b110),
    (1, 40, EventKind.MOMENT, 0, 0b001),
    (1, 50, EventKind.UP, 1, 0),
    (1, UNDATED, EventKind.CHOSEN, 1, 0b110),
    (1, END, EventKind.MOMENT, 0, 0),
    (2, ALWAYS, EventKind.REGISTERED, 90 * SECOND, 0),
    (2, 60, EventKind.MOMENT, 0, 0),
    (3, 70, EventKind.MOMENT, 0, 0),
]
OWN = {40: {EventKind.ANSWERED: 1, EventKind.UP: 2}}
"""By the time of a moment, what of the author's contributions lies in the example's own thread."""


def values(group: AuthorGroup, rows: Sequence[Row] = HISTORY, *, size: int = 100) -> list[dict[str, float]]:
    """The values of each moment, but for columns that are 0, from batches of some size."""
    return [
        {name: float(column[place]) for name, column in found.items() if column[place] != 0}
        for found, moments in computed(group, rows, size)
        for place in range(moments)
    ]


def computed(group: AuthorGroup, rows: Sequence[Row], size: int) -> Iterator[tuple[Mapping[str, np.ndarray], int]]:
    last: AuthorBatch | None = None
    for start in range(0, len(rows), size):
        author, time, kind, count, marks = np.array(rows[start : start + size], dtype=np.int64).T
        there = [OWN.get(int(each), {}) for each in time[kind == EventKind.MOMENT]]
        batch = AuthorBatch(
            author=author,
            kind=kind.astype(np.int8),
            time=np.where(np.abs(time) < UNDATED, time * SECOND, time),
            count=count,
            marks={group.name: marks},
            own={each: np.array([own.get(each, 0) for own in there], dtype=np.int64) for each in CONTRIBUTIONS},
            before=last.after if last is not None and last.author[-1] == author[0] else {},
        )
        yield {name: np.asarray(column) for name, column in group.compute(batch).items()}, len(batch)
        last = batch


def test_the_account_at_the_cut_without_the_own_thread() -> None:
    found = values(BasicUAsOfV1())
    assert found[0] == {
        "created": 5, "up_votes": 2, "down_votes": 1, "reputation": 1 + 20 - 2 + 15, "questions": 1, "answers": 1,
        "accepted": 1, "comments": 1,
    }  # fmt: skip
    # Who registered later has no account yet, and who has done nothing has one point.
    for nobody in found[2:]:
        assert np.isnan(nobody.pop("created"))
        assert nobody == {"reputation": 1}


def test_the_record_at_the_cut_without_the_own_thread() -> None:
    log = np.log1p
    found = values(AuthorRecordAsOfV1())
    assert found[0] == pytest.approx(
        {"answers": log(1), "accepted": log(1), "accepted_share": 0.5, "votes": log(1), "votes_per_answer": 1 / 3}
    )
    assert found[2:] == [{"accepted_share": pytest.approx(1 / 3)}] * 2


def test_the_account_at_the_end() -> None:
    assert values(BasicUSnapshotV1())[1] == {
        "created": 5, "up_votes": 5, "down_votes": 1, "reputation": 777, "questions": 1, "answers": 2, "accepted": 1,
        "comments": 1,
    }  # fmt: skip


def test_tags_at_the_cut_without_the_own_thread() -> None:
    # The own thread's answer had the first tag.
    assert values(UTagsAsOfV1(TAGS))[0] == {
        "answered_02": 0.5, "answered_03": 0.5, "accepted_02": 0.5, "accepted_03": 0.5
    }  # fmt: skip
    assert values(UTagsAsOfV1(TAGS))[2:] == [{}, {}]


def test_tags_at_the_end() -> None:
    third = pytest.approx(1 / 3)
    assert values(UTagsSnapshotV1(TAGS))[1] == {
        "answered_01": third, "answered_02": third, "answered_03": third, "accepted_02": 0.5, "accepted_03": 0.5
    }  # fmt: skip


def test_badges_up_to_the_cut() -> None:
    rows = [
        (1, 10, EventKind.BADGE, 1, 2),
        (1, 15, EventKind.BADGE, 1, 0),
        (1, 20, EventKind.MOMENT, 0, 0),
        (1, 30, EventKind.BADGE, 1, BADGE_SLOTS),
        (1, 30, EventKind.BADGE, 1, 2),
        (1, 30, EventKind.MOMENT, 0, 0),
    ]
    assert values(BadgesAsOfV1(BADGES), rows) == [{"badge_002": 1}, {"badge_002": 1, f"badge_{BADGE_SLOTS:03}": 1}]


@pytest.mark.parametrize(
    "group",
    [AuthorRecordAsOfV1(), BasicUAsOfV1(), BasicUSnapshotV1(), UTagsAsOfV1(TAGS), UTagsSnapshotV1(TAGS)],
    ids=lambda each: each.name,
)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_an_author_goes_on_in_the_next_batch(group: AuthorGroup, size: int) -> None:
    np.testing.assert_equal(values(group, size=size), values(group))


def test_sums_start_with_each_author() -> None:
    rows, adds = np.array([0, 2, 3]), np.array([[1, 10], [2, 20], [4, 40]])
    found = sums_before(np.array([2, 4]), np.array([0, 2]), rows, adds)
    assert found.tolist() == [[1, 10], [6, 60]]


# What happens at posts, and in an author's threads, from literal rows.

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1) // timedelta(microseconds=1)
HOUR = DAY // 24
TAGS_OF_EVENTS = TopTags(by_site={"beer": ["ale", "stout"], "wine": ["red"]})

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
    found = post_events(pa.Table.from_pylist(rows, SCHEMA), {"tags": TAGS_OF_EVENTS.masks}, wanted)
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
    assert TAGS_OF_EVENTS.masks(questions).tolist() == [0b11, 0b1, 0, 0, 0]
    assert TAGS_OF_EVENTS.masks(questions.slice(2, 0)).tolist() == []


def test_badges_without_a_slot_count_as_0() -> None:
    badges = pa.chunked_array([["Student", None], ["Guru", "Teacher"]], pa.string())
    assert BadgeNames(names=["Teacher", "Student"]).slots(badges).tolist() == [2, 0, 0, 1]
