"""Flows are checked when they are made, before anything runs."""

import threading
from collections.abc import Callable
from concurrent.futures import wait
from importlib.util import find_spec
from typing import Any, cast

import pytest
from fake_steps import FakeRun, FakeStep

from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.runtime import flow as execution
from cqa_spark.runtime.flow import Flow, execute_step, execute_steps
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.report import Report

READ = FakeStep("ingest", writes="posts comments")
PAIR = FakeStep("pair", reads="posts comments", writes="examples")
TEXT = FakeStep("text", reads="posts", writes="documents")
FEATURES = FakeStep("features", reads="examples", writes="features", if_present="documents votes")
PUBLISH = FakeStep("publish", reads="features", delivers=True)


def test_a_flow_whose_steps_have_what_they_read_is_made() -> None:
    flow = Flow("run", (READ, PAIR, FEATURES, PUBLISH))
    assert (flow.making, flow.delivering) == ((READ, PAIR, FEATURES), (PUBLISH,))


@pytest.mark.parametrize(
    ("steps", "given", "problem"),
    [
        ((PAIR,), (), "the step pair reads posts, comments, which the run does not have"),
        ((PAIR,), ("posts",), "the step pair reads comments, which the run does not have"),
        ((PAIR, READ), (), "the step pair reads posts, comments, which the run does not have"),
        ((READ, FEATURES), (), "the step features reads examples, which the run does not have"),
        ((READ, PAIR, PUBLISH), (), "the step publish reads features, which the run does not have"),
    ],
)
def test_a_step_that_lacks_what_it_reads_is_named(
    steps: tuple[FakeStep, ...], given: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(InputError) as refused:
        Flow("run", steps, given)
    assert refused.value.problem == f"run: {problem}"


def test_what_the_run_has_already_need_not_be_written() -> None:
    assert Flow("pair", (PAIR,), {"posts", "comments"}).making == (PAIR,)


def test_nothing_is_checked_where_it_is_not_known_what_the_run_has() -> None:
    assert Flow("pair", (PAIR, READ), None).making == (PAIR, READ)


def test_a_step_waits_for_those_that_write_what_it_reads() -> None:
    flow = Flow("run", (READ, PAIR, TEXT, FEATURES, PUBLISH))
    assert flow.waits_for() == {0: set(), 1: {0}, 2: {0}, 3: {1, 2}}


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        (FakeStep("a", writes="x"), FakeStep("b", writes="x"), {0}),
        (FakeStep("a", reads="x"), FakeStep("b", writes="x"), {0}),
        (FakeStep("a", if_present="x"), FakeStep("b", writes="x"), {0}),
        (FakeStep("a", writes="x"), FakeStep("b", if_present="x"), {0}),
        (FakeStep("a", reads="x"), FakeStep("b", reads="x"), set()),
        (FakeStep("a", writes="x"), FakeStep("b", writes="y"), set()),
    ],
)
def test_a_step_waits_for_earlier_ones_that_read_or_write_what_it_writes(
    first: FakeStep, second: FakeStep, waits: set[int]
) -> None:
    assert Flow("run", (first, second), {"x"}).waits_for() == {0: set(), 1: waits}


def test_a_flow_is_drawn_with_what_its_steps_read_and_write() -> None:
    assert Flow("run", (READ, PAIR, FEATURES, PUBLISH)).draw().splitlines() == [
        "  ingest    reads   nothing",
        "            writes  posts, comments",
        "  pair      reads   posts, comments",
        "            writes  examples",
        "  features  reads   examples, [documents], [votes]",
        "            writes  features",
        "  publish   reads   features",
        "            writes  nothing",
    ]
    assert Flow("run", ()).draw() == ""


@pytest.mark.parametrize(
    ("sizes", "compiled_from", "compiles"),
    [((), (), True), ((None,), (10,), True), ((3, None, 7), (10, 12, 11), False), ((3, None, 8), (10, 12, 11), True)],
)
def test_plans_are_compiled_if_the_input_is_large_for_one_of_the_steps(
    sizes: tuple[int | None, ...], compiled_from: tuple[int, ...], compiles: bool
) -> None:
    steps = [FakeStep(str(place), input_bytes=size) for place, size in enumerate(sizes)]
    for step, least in zip(steps, compiled_from, strict=True):
        step.compiled_from = least  # type: ignore[misc]
    assert Flow("run", tuple(steps)).compiles_plans() is compiles


def test_workers_import_what_the_tasks_of_any_step_need() -> None:
    featurize = Featurize(["lexicon_v2", "overlap_v1"], "question_comment", FeatureSettings())
    flow = Flow("featurize", (READ, featurize), None)
    assert flow.task_imports() == {"sklearn.feature_extraction", "sklearn.linear_model"}
    assert Flow("ingest", (READ,)).task_imports() == frozenset()


@pytest.mark.parametrize("module", [*Analyse.imports, *Report.imports])
def test_what_steps_import_early_exists(module: str) -> None:
    assert find_spec(module)


# Steps side by side, in order where they wait for one another.

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
