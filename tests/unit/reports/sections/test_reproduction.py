"""Reproduced and published results in the terminal."""

import io

import pytest
from rich.console import Console

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.wording import MISSING
from cqa_spark.reports.sections.reproduction import About, Reproduced, agreement, console


@pytest.mark.parametrize(
    ("ours", "published", "error", "expected"),
    [
        (0.5384, 0.5384, None, "OK"),
        (0.53844, 0.5384, None, "OK"),
        (0.5584, 0.5384, 0.01, "OK"),
        (0.5184, 0.5384, 0.01, "OK"),
        (0.5591, 0.5384, 0.01, "differs"),
        (0.5484, 0.5384, 0.004, "near"),
        (0.5184, 0.5384, None, "near"),
        (0.5183, 0.5384, None, "differs"),
        (None, 0.5384, 0.01, ""),
        (0.5384, None, 0.01, ""),
    ],
)
def test_agreement_depends_on_the_difference_in_standard_errors(
    ours: float | None, published: float | None, error: float | None, expected: str
) -> None:
    assert agreement(ours, published, error, "faithful") == expected


@pytest.mark.parametrize("faithfulness", ["partial", "surrogate", "modern substitute", ""])
def test_only_a_faithful_recipe_can_agree(faithfulness: str) -> None:
    assert agreement(0.5384, 0.5384, 0.01, faithfulness) == ""


def test_both_results_and_what_is_missing_are_printed() -> None:
    found = [
        Reproduced(
            "given",
            "question_comment",
            "set dev",
            "faithful",
            ours={"MAP@10": 0.53841, "F1": 0.5},
            errors={"MAP@10": 0.0141},
            published={"MAP@10": 0.5384},
        ),
        Reproduced("given", "question_comment", "set test", published={"MAP@10": 0.5953}, missing="there is no gold"),
    ]
    out = io.StringIO()
    recipes = [About("given", {"replaces": "tree kernels by\n[bold]", "missing": ""})]
    console(found, recipes, Terminal(Console(file=out, width=40)))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    assert "given faithful question comment set dev MAP@10 53.84 1.41 53.84 0.00 OK" in lines
    assert f"given faithful question comment set dev F1 50.00 {MISSING} {MISSING} {MISSING}" in lines
    assert f"given {MISSING} question comment set test MAP@10 {MISSING} {MISSING} 59.53 {MISSING}" in lines
    assert "OK: at most 2 standard errors apart; near: at most 2.00 points; only for faithful recipes" in out.getvalue()
    assert "given, set test: there is no gold" in out.getvalue()
    assert "replaces: tree kernels by\n[bold]\n" in out.getvalue()
    assert "missing:" not in out.getvalue()
