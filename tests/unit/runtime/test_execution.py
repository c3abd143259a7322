"""Steps side by side, in order where they wait for one another."""

import threading
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any, cast

import pytest
from fake_steps import FakeRun, FakeStep

from cqa_spark.lake.run import Run
from cqa_spark.runtime import flow as execution
from cqa_spark.runtime.flow import Flow, execute_step, execute_steps

SECONDS = 10
"""Longest time to wait for another step; no test takes it unless it fails."""


def executed(*steps: FakeStep) -> FakeRun:
    run = FakeRun()
    execute_steps(Flow("run", steps), cast(Run, run))
    return run


def failing(error: Exception, after: threading.Event | None = None) -> Callable[[], None]:
    def fail() -> None:
        if after is not None:
            assert after.wait(SECONDS)
        raise error

    return fail


def test_a_step_is_recorded_with_its_counts() -> None:
    run = FakeRun()
    execute_step(FakeStep("pair"), cast(Run, run))
    assert [(record.step, record.rows_out) for record in run.recorded] == [("pair", 1)]


def test_a_step_sees_the_products_that_it_declares() -> None:
    run = FakeRun()
    step = FakeStep("pair", reads="posts", writes="examples pairs", if_present="votes")
    execute_step(step, cast(Run, run))
    assert run.seen == {"pair": ({"posts", "votes"}, {"examples", "pairs"})}


def test_a_step_that_records_its_parts_is_not_recorded_itself() -> None:
    run = FakeRun()
    execute_step(FakeStep("ingest", records_parts=True), cast(Run, run))
    assert (run.executed, run.recorded) == (["ingest"], [])


def test_steps_that_wait_for_one_another_keep_their_order() -> None:
    run = executed(
        FakeStep("ingest", writes="posts"),
        FakeStep("pair", reads="posts", writes="examples"),
        FakeStep("features", reads="examples", writes="features"),
        FakeStep("train", reads="features"),
    )
    assert [record.step for record in run.recorded] == ["ingest", "pair", "features", "train"]


def test_steps_that_do_not_wait_for_one_another_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=SECONDS)
    run = executed(
        FakeStep("ingest", writes="posts"),
        FakeStep("pair", reads="posts", writes="examples", do=both.wait),
        FakeStep("text", reads="posts", writes="documents", do=both.wait),
        FakeStep("features", reads="examples documents"),
    )
    assert (run.began[0], sorted(run.began[1:3]), run.began[3]) == ("ingest", ["pair", "text"], "features")


def test_a_step_begins_as_soon_as_those_that_it_waits_for_have_finished() -> None:
    trained = threading.Event()
    run = executed(
        FakeStep("slow", writes="documents", do=lambda: trained.wait(SECONDS) or pytest.fail("train waits for slow")),
        FakeStep("features", writes="features"),
        FakeStep("train", reads="features", do=trained.set),
    )
    assert [record.step for record in run.recorded] == ["features", "train", "slow"]


def test_no_more_than_two_steps_run_at_the_same_time() -> None:
    now, most, counting = 0, 0, threading.Lock()
    pairs = threading.Barrier(2, timeout=SECONDS)

    def count() -> None:
        nonlocal now, most
        with counting:
            now += 1
            most = max(most, now)
        pairs.wait()
        with counting:
            now -= 1

    run = executed(*[FakeStep(f"step {number}", writes=f"x{number}", do=count) for number in range(6)])
    assert (most, len(run.recorded)) == (2, 6)


def test_a_step_that_fails_is_raised_once_those_that_had_begun_have_ended() -> None:
    begun, run = threading.Event(), FakeRun()
    steps = (
        FakeStep("fails", writes="posts", do=failing(ZeroDivisionError("bad luck"), begun)),
        FakeStep("beside", writes="documents", do=begun.set),
        FakeStep("after", reads="posts"),
    )
    with pytest.raises(ZeroDivisionError, match="bad luck"):
        execute_steps(Flow("run", steps), cast(Run, run))
    assert (run.executed, [record.step for record in run.recorded]) == (["beside"], ["beside"])


def test_the_first_failure_is_the_one_that_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = threading.Event()

    def noticing(*arguments: Any, **options: Any) -> Any:
        found = wait(*arguments, **options)
        seen.set()
        return found

    monkeypatch.setattr(execution, "wait", noticing)
    with pytest.raises(KeyError, match="first"):
        executed(
            FakeStep("a", writes="x", do=failing(KeyError("first"))),
            FakeStep("b", writes="y", do=failing(ValueError("second"), seen)),
        )


def test_steps_that_deliver_are_left_to_whoever_runs_the_flow() -> None:
    assert executed(FakeStep("pair"), FakeStep("publish", delivers=True)).executed == ["pair"]


def test_a_flow_without_steps_does_nothing() -> None:
    assert executed().began == []
