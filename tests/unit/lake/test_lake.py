"""A step sees of its run what it has declared, and nothing else."""

from collections.abc import Callable

import pytest
from small_runs import NOTES, new_files, opened, put_users, users

from cqa_spark.errors import ContractError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, USERS
from cqa_spark.lake.table import NO_FILES

READS: dict[str, Callable[[Run], object]] = {
    "users": lambda run: run.files(USERS),
    "notes": lambda run: run.entries(NOTES),
    "model/best_a": lambda run: run.artifact("model/best_a"),
    "published users": lambda run: run.published(USERS),
}
WRITES: dict[str, Callable[[Run], object]] = {
    "users": lambda run: run.put(USERS, NO_FILES),
    "notes": lambda run: run.write_entries(NOTES, [{"note": "second"}]),
    "model/best_a": lambda run: run.add_artifact("model/best_a", "elsewhere"),
}


def fill(run: Run) -> None:
    put_users(run, a="x")
    run.write_entries(NOTES, [{"note": "first"}])
    run.lake.objects.put(f"runs/{run.record.attempt_name}/models/best_a", b"model")
    run.add_artifact("model/best_a", run.artifact_path("models", "best_a"))


@pytest.mark.parametrize("product", READS)
def test_a_step_reads_what_it_declares_and_what_it_writes(lake: Lake, product: str) -> None:
    with opened(lake, "r1") as run:
        fill(run)
        others = (READS.keys() | {"posts"}) - {product}
        with pytest.raises(ContractError) as refused:
            READS[product](run.seen_by("text", reads=others, writes=[]))
        assert refused.value.problem == f"the step text reads {product}, which it does not declare"
        for reads, writes in (([product], []), ([], [product])):
            assert READS[product](run.seen_by("text", reads=reads, writes=writes)) == READS[product](run)


@pytest.mark.parametrize("product", WRITES)
def test_a_step_writes_what_it_declares(lake: Lake, product: str) -> None:
    with opened(lake, "r1") as run:
        fill(run)
        before = run.record, run.manifest()
        with pytest.raises(ContractError) as refused:
            WRITES[product](run.seen_by("text", reads=[product], writes=WRITES.keys() - {product}))
        assert refused.value.problem == f"the step text writes {product}, which it does not declare"
        assert (run.record, run.manifest()) == before
        WRITES[product](run.seen_by("text", reads=[], writes=[product]))
        assert (run.record, run.manifest()) != before


def test_a_kind_of_artifacts_is_declared_by_its_name(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        fill(run)
        assert run.seen_by("score", reads=["model"], writes=[]).artifact("model/best_a") == run.artifact("model/best_a")


def test_what_a_step_writes_is_seen_by_the_next_one_and_by_the_run(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        ingest = run.seen_by("ingest", reads=[], writes=["users"])
        put_users(ingest, a="x")
        with run.step("ingest"):
            text = run.seen_by("text", reads=["users"], writes=["comments"])
            text.put(COMMENTS, new_files(text, COMMENTS, {"a": [{"comment_id": "1"}, {"comment_id": "2"}]}))
    assert users(text) == users(run) == ["a/x"]
    assert run.record.tables == text.record.tables == {"users": 1, "comments": 2}
    assert [step.step for step in ingest.record.steps] == ["ingest"]
