"""Flows are checked when they are made, before anything runs."""

from importlib.util import find_spec

import pytest
from fake_steps import FakeStep

from cqa_spark.errors import InputError
from cqa_spark.runtime.flow import Flow
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
