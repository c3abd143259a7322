"""What findings were worth: the first tenth of lists, and means of searches, against their rivals."""

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.findings.finding import Kind
from cqa_spark.findings.worth import first_of, is_worse, measured, reliability, worth
from cqa_spark.lake.schemas.findings import FINDING_CASES
from cqa_spark.spark.internals import to_arrow_schema

_LIST = Kind("late", "Late", "Read it.", "precision", "votes")
_SEARCH = Kind("related", "Related", "Link it.", "mean", "BM25", is_list=False)


def cases(kind: str, scores, rival_scores, hits=None) -> pa.Table:
    rows = [
        {
            "site": "a", "kind": kind, "post_id": str(number), "cluster": str(number), "score": score,
            "rival_score": rival, "hit": None if hits is None else hits[number],
        }
        for number, (score, rival) in enumerate(zip(scores, rival_scores, strict=True))
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=to_arrow_schema(FINDING_CASES.schema))


def test_equal_scores_share_the_last_places() -> None:
    scores = np.array([5.0, 3.0, 3.0, 3.0, *np.zeros(16)])
    assert first_of(scores).tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, *np.zeros(16)])


def test_lists_are_measured_by_their_first_tenth() -> None:
    hits = [True, True, False, False, *[False] * 16]
    figures = measured(cases("late", range(20, 0, -1), range(20), hits), _LIST)
    assert (figures["value"], figures["rival_value"], figures["base"]) == (1.0, 0.0, 0.1)
    assert figures["difference"] == pytest.approx(1.0)


def test_searches_are_measured_by_the_mean_of_their_scores() -> None:
    figures = measured(cases("related", [1.0, 0.5], [0.5, 0.0]), _SEARCH)
    assert (figures["value"], figures["rival_value"], figures["difference"]) == (0.75, 0.25, 0.5)


def test_a_kind_without_a_past_has_no_figures() -> None:
    [figures] = worth(cases("late", [], []), {"late": _LIST})
    assert figures == {"site": "*", "kind": "late", "cases": 0, "clusters": 0}
    assert not is_worse(figures)


def test_a_kind_that_loses_to_its_rival_is_worse() -> None:
    lost, won = (measured(cases("related", [value] * 40, [1 - value] * 40), _SEARCH) for value in (0.0, 1.0))
    assert (is_worse(lost), is_worse(won)) == (True, False)
    assert not is_worse(measured(cases("related", [0.0] * 5, [1.0] * 5), _SEARCH))


def test_intervals_of_short_lists_stay_between_the_extremes() -> None:
    figures = measured(cases("late", range(20), range(20, 0, -1), [False] * 19 + [True]), _LIST)
    assert -1 <= figures["low_difference"] <= figures["high_difference"] <= 1


def test_stated_probabilities_stand_beside_the_share_that_proved_right() -> None:
    hits = [True, False, True, True]
    rows = cases("related", map(float, hits), [0.0] * 4, hits)
    stated = rows.drop_columns(["probability"]).append_column("probability", pa.array([0.52, 0.58, 0.91, 1.0]))
    first, last = reliability(stated)
    assert (first["stated"], first["observed"], first["cases"], first["clusters"]) == (pytest.approx(0.55), 0.5, 2, 2)
    assert (last["stated"], last["observed"], last["cases"]) == (pytest.approx(0.955), 1.0, 2)
    assert 0 <= first["low"] < 0.5 < first["high"] <= 1
    assert measured(stated, _SEARCH)["reliability"] == [first, last]
    assert reliability(rows) is None
    [alone] = reliability(stated.slice(0, 1))
    assert (alone["low"], alone["high"]) == (None, None)
