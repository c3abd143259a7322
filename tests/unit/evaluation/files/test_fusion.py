"""Fusion of literal runs, and rules for all runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.cli import main
from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.files.fusion import fuse
from cqa_spark.evaluation.files.pairs import pairs_of_mapping
from cqa_spark.evaluation.files.trec import RunRow

WORDS = pairs_of_mapping({"q1": {"a": 9.0, "b": 5.0, "c": 1.0}, "q2": {"a": 3.0}})
VECTORS = pairs_of_mapping({"q3": {"e": 0.5, "d": 0.5}, "q1": {"c": 0.8, "b": 0.6}})


@pytest.mark.parametrize(
    ("method", "first"),
    [
        ("rrf", [("c", 1 / 63 + 1 / 61), ("b", 1 / 62 + 1 / 62), ("a", 1 / 61)]),
        ("combsum", [("c", 0.0 + 1.0), ("a", 1.0), ("b", 0.5 + 0.0)]),
        ("combmnz", [("c", 2 * 1.0), ("b", 2 * 0.5), ("a", 1 * 1.0)]),
    ],
)
def test_documents_are_ranked_by_what_all_runs_give_them(method: str, first: list[tuple[str, float]]) -> None:
    rows = list(fuse([WORDS, VECTORS], method, name="f"))  # type: ignore[arg-type]
    assert [(row.query_id, row.rank, row.system) for row in rows[:3]] == [("q1", rank, "f") for rank in (1, 2, 3)]
    assert [(row.candidate_id, row.score) for row in rows[:3]] == [
        (name, pytest.approx(score)) for name, score in first
    ]
    assert [row.query_id for row in rows] == ["q1", "q1", "q1", "q2", "q3", "q3"]


def test_equal_scores_of_a_run_are_ordered_by_id_and_count_1() -> None:
    assert list(fuse([VECTORS], "combsum"))[:2] == [
        RunRow("q3", "e", 1, 1.0, "fused"),
        RunRow("q3", "d", 2, 1.0, "fused"),
    ]


def test_another_method_is_refused() -> None:
    with pytest.raises(ConfigError, match="borda"):
        list(fuse([WORDS], "borda"))  # type: ignore[arg-type]


@given(
    st.dictionaries(
        st.sampled_from("pq"), st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1), min_size=1
    )
)
def test_a_run_fused_with_itself_keeps_its_order(scores: dict[str, dict[str, int]]) -> None:
    run = pairs_of_mapping(scores)
    orders = [
        [(row.query_id, row.candidate_id) for row in fuse(runs, "rrf")] for runs in ([run], [run, run], [run, run, run])
    ]
    expected = [(q, d) for q in scores for d in sorted(scores[q], key=lambda d: (scores[q][d], d), reverse=True)]
    assert orders == [expected] * 3


def test_the_command_writes_a_run(tmp_path: Path) -> None:
    first, second, fused = (tmp_path / name for name in ("first.run", "second.run", "fused.run"))
    first.write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    second.write_text("q1 Q0 b 1 2.0 y\n")
    assert main(["fuse", str(first), str(second), "--output", str(fused)]) == 0
    assert fused.read_text() == f"q1 Q0 b 1 {1 / 62 + 1 / 61!r} rrf\nq1 Q0 a 2 {1 / 61!r} rrf\n"
