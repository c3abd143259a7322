"""A process that pauses at any call until others have taken its lake over: it changes nothing that they left."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from attacked_lakes import (
    Clock,
    Content,
    copied,
    finished,
    published,
    report,
    seen,
    taken_over,
    two_tables,  # noqa: F401
)
from seams import pausing, seams
from small_runs import no_spark

from cqa_spark.errors import CqaError, InputError
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake, LeasedLake
from cqa_spark.lake.publishing import publish, rollback

pytestmark = pytest.mark.usefixtures("two_tables")

NIGHTS: dict[str, Content] = {
    "r1": {"alpha": {"a": 1, "b": 1}, "beta": {"a": 1}},
    "r2": {"alpha": {"a": 2, "b": 1}},
    "r3": {"alpha": {"a": 3, "b": 1}, "beta": {"a": 3}},
    "r4": {"alpha": {"a": 4, "b": 1}, "beta": {"c": 4}},
    "r5": {"alpha": {"a": 5, "b": 5}, "beta": {"a": 5}},
}


def night(leased: LeasedLake) -> None:
    finished(leased, "r4", NIGHTS["r4"])
    publish(leased, "r4")
    collect(leased, 2)


def publishing(leased: LeasedLake) -> None:
    publish(leased, "r3")


def rolling_back(leased: LeasedLake) -> None:
    rollback(leased)


def two_nights(leased: LeasedLake) -> None:
    for run_id in ("r5", "r6"):
        finished(leased, run_id, NIGHTS["r5"])
        publish(leased, run_id)
        collect(leased, 2)


def there_and_back(leased: LeasedLake) -> None:
    """Publish what the other process was about to publish, and an earlier run again."""
    publish(leased, "r3")
    rollback(leased, "r1")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """The second of three runs is published."""
    lake = Lake(no_spark, str(tmp_path / "lake"))
    clock = Clock()
    published(lake, clock, ("r1", NIGHTS["r1"]), ("r2", NIGHTS["r2"]))
    with taken_over(lake, clock) as leased:
        finished(leased, "r3", NIGHTS["r3"])
    return lake


@pytest.mark.parametrize(
    ("act", "meanwhile", "only_writes"),
    [
        pytest.param(publishing, two_nights, False, id="publishing"),
        pytest.param(publishing, there_and_back, True, id="publishing what others publish"),
        pytest.param(rolling_back, two_nights, True, id="rolling back"),
        pytest.param(night, two_nights, True, id="a night, which collects"),
    ],
)
def test_what_the_others_left_stays(
    lake: Lake,
    tmp_path: Path,
    act: Callable[[LeasedLake], None],
    meanwhile: Callable[[LeasedLake], None],
    only_writes: bool,
) -> None:
    happened, call, clock = True, 0, Clock()
    while happened:
        call += 1
        tried = copied(lake, tmp_path / "tried")
        left: list[tuple[Content, set[str]]] = []

        def others(tried: Lake = tried, left: list[tuple[Content, set[str]]] = left) -> None:
            with taken_over(tried, clock) as leased, suppress(InputError):
                meanwhile(leased)
            left.append((seen(tried), report(tried)))

        with (
            suppress(CqaError),
            taken_over(tried, clock) as leased,
            seams(pausing(others), call, only_writes=only_writes) as between,
        ):
            act(leased)
        happened = between.happened
        if happened:
            assert (seen(tried), report(tried)) == left[0], (call, between.names)
            with taken_over(tried, clock) as leased:
                finished(leased, "r7", NIGHTS["r1"])
                publish(leased, "r7")
                collect(leased, 2)
            assert seen(tried) == NIGHTS["r1"]
    assert call > 5
