"""Values of authors from literal rows of their history, whole and cut into batches."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from cqa_spark.features.author_batch import ALWAYS, CONTRIBUTIONS, END, UNDATED, AuthorBatch, EventKind, sums_before
from cqa_spark.features.group import AuthorGroup
from cqa_spark.features.groups.author.author_activity import AuthorRecordAsOfV1
from cqa_spark.features.groups.author.badges import BADGE_SLOTS, BadgeNames, BadgesAsOfV1
from cqa_spark.features.groups.author.basic_u import BasicUAsOfV1, BasicUSnapshotV1
from cqa_spark.features.groups.author.u_tags import UTagsAsOfV1, UTagsSnapshotV1
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
