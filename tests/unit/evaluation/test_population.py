"""The populations of gold files: literal files, exact values."""

from pathlib import Path

import pytest

from cqa_spark.evaluation.files import semeval as population_of_a_file
from cqa_spark.evaluation.files.semeval import JudgedPopulation, in_words, population, read_official

LABELS = (["true", "false"], ["false"], ["true"], ["false"])


def test_a_random_and_the_best_order_of_the_queries(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.write_text("q1 a 1 1 false\nq1 b 2 0.5 true\nq2 c 1 1 false\nq3 d 1 1 true\n")
    found = population(read_official(gold), "MAP@10")
    # q1: 1 or 1/2; q2 has no relevant candidate and counts 0; q3: 1.
    assert found == {"queries": 3, "candidates": 4, "random": pytest.approx((3 / 4 + 0 + 1) / 3), "best": 2 / 3}


def test_a_random_order_of_many_queries_is_estimated_from_every_nth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(population_of_a_file, "MOST_QUERIES", 2)
    gold = tmp_path / "gold"
    gold.write_text("".join(f"q{number} {label[0]} 1 1 {label}\n" for number in range(4) for label in LABELS[number]))
    # q0: 1 or 1/2; q2: 1.
    assert population(read_official(gold), "MAP@10") == {
        "queries": 4,
        "candidates": 5,
        "random": (3 / 4 + 1) / 2,
        "best": 2 / 4,
    }


def test_a_population_in_words() -> None:
    values = JudgedPopulation(queries=244, candidates=2440, random=0.4485, best=0.8648)
    assert (
        in_words(values, "MAP") == "244 queries with 2,440 candidates; MAP of a random order 44.85, of the best 86.48"
    )
