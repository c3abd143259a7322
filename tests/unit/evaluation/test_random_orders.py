"""What is expected of a random order, by hand."""

from pathlib import Path

import pytest

from cqa_spark.evaluation.evaluate import evaluate, expected_components
from cqa_spark.evaluation.files.semeval import ranked_file, read_official
from cqa_spark.evaluation.measure import Candidate, RankedQuery
from cqa_spark.evaluation.measures import parse_measure

HIT, MISS = Candidate(True, 1.0, True, 0.9), Candidate(False, 0.0, True, 0.1)


def expected(written: str, candidates: list[Candidate], *, unranked: int = 0) -> tuple[float, ...]:
    query = RankedQuery(candidates, [HIT] * unranked)
    (components,) = expected_components([parse_measure(written)], query, "Q1")
    return components


@pytest.mark.parametrize(
    ("written", "value"),
    [("P@1", 1 / 3), ("MRR@10", (1 + 1 / 2 + 1 / 3) / 3), ("MAP@10", (1 + 1 / 2 + 1 / 3) / 3), ("P@2", 1 / 3)],
)
def test_few_candidates_are_put_into_every_order(written: str, value: float) -> None:
    for candidates in ([HIT, MISS, MISS], [MISS, MISS, HIT]):
        assert expected(written, candidates) == pytest.approx((value,))


def test_two_hits_of_three() -> None:
    # Both first: 1; first and third: (1 + 2/3) / 2; last two: (1/2 + 2/3) / 2.
    assert expected("MAP@10", [HIT, MISS, HIT]) == pytest.approx(((1 + 5 / 6 + 7 / 12) / 3,))


def test_what_was_not_ranked_is_not_found() -> None:
    assert expected("Recall", [HIT], unranked=1) == (1.0, 2.0)


def test_many_candidates_are_put_into_orders_that_the_query_decides_on() -> None:
    candidates = [HIT] * 2 + [MISS] * 8
    drawn = expected("P@1", candidates)
    assert drawn == pytest.approx((0.2,), abs=0.04)
    assert expected("P@1", candidates) == drawn


def test_an_order_at_random_has_no_scores() -> None:
    assert expected("Pearson", [HIT, MISS]) == (2.0, 0.0, 1.0, 0.0, 1.0, 0.0)


def test_a_prediction_file_of_a_random_order_is_scored_by_the_expectation(tmp_path: Path) -> None:
    gold, prediction = tmp_path / "gold", tmp_path / "prediction"
    labels = {"C1": "true", "C2": "false", "C3": "false"}
    gold.write_text("".join(f"Q1\t{one}\t1\t0\t{label}\n" for one, label in labels.items()))
    prediction.write_text("".join(f"Q1\t{one}\t1\t{score}\ttrue\n" for score, one in enumerate(labels)))
    ranking = ranked_file(read_official(gold), read_official(prediction))
    assert evaluate(ranking, ["MAP@10"]) == {"MAP@10": pytest.approx(1 / 3)}
    assert evaluate(ranking, ["MAP@10"], at_random=True) == {"MAP@10": pytest.approx((1 + 1 / 2 + 1 / 3) / 3)}
