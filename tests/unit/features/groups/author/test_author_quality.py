"""What is known of a candidate's author, from counts."""

from math import log
from typing import Any

import pandas as pd
import pytest
from literal_batches import batch_of, in_folds, values
from literal_threads import SITE, Said, Thread
from pyspark import cloudpickle

from cqa_spark.features.group import QueryGroup
from cqa_spark.features.groups.author.author_activity import AuthorActivityV2
from cqa_spark.features.groups.author.author_quality import AuthorQualityV2
from cqa_spark.features.query_batch import QueryBatch

COUNTS = ("judged", "relevant", "helper_judged", "helper_relevant")
IN_SPARK: Any = None
"""In place of what was learned of all people, which kernels never see."""

THREAD = Thread(
    "Q1",
    "U9",
    [Said("U7", "a", name="rashid"), Said("U2", "b"), Said("U5", "c", name="anonymous"), Said("U6", "d")],
    category="Visas",
)


def _values(group: QueryGroup, batch: QueryBatch) -> dict[str, dict[str, float | None]]:
    """The values by candidate; an empty row where none is known."""
    rows = {str(row.pop("candidate_id")): row for row in values(group, batch)}
    known = {candidate: {name: row[name] for name in row if name != "query_id"} for candidate, row in rows.items()}
    return {candidate: {} if set(row.values()) == {None} else row for candidate, row in known.items()}


def test_activity_elsewhere_leaves_the_own_thread_out() -> None:
    here = {"comments": 2, "threads": 1, "firsts": 1, "answers": 2, "questions": 0}
    author = {
        **{"comments": 5, "threads": 3, "firsts": 2, "answers": 4, "questions": 1},
        "sections": [{"section": "Food", "threads": 1}, {"section": "Visas", "threads": 2}],
        "here": here,
    }
    only_here = {**here, "sections": [{"section": "Visas", "threads": 1}], "here": here}
    known = {"Q1_C1": author, "Q1_C3": author, "Q1_C4": only_here}
    found = _values(AuthorActivityV2(IN_SPARK), batch_of([THREAD], facts={"author_activity_v2": known}))
    assert found["Q1_C1"] == pytest.approx(
        {
            "log_comments": log(4),
            "log_threads": log(3),
            "log_answers": log(3),
            "log_questions": log(2),
            "answering": log(3 / 2),
            "comments_per_thread": 1.5,
            "first_share": 0.5,
            "log_sections": log(3),
            "section_share": 0.5,
        }
    )
    assert found["Q1_C2"] == found["Q1_C3"] == {}
    assert set(found["Q1_C4"].values()) == {0.0}


def test_an_author_may_be_new_in_the_thread() -> None:
    here = {"comments": 1, "threads": 1, "firsts": 1, "answers": 1, "questions": 0}
    author = {**here, "comments": 5, "sections": [{"section": "Visas", "threads": 1}]}
    known = {"Q1_C1": {**author, "here": None}, "Q1_C4": {**author, "here": here}}
    found = _values(AuthorActivityV2(IN_SPARK), batch_of([THREAD], facts={"author_activity_v2": known}))
    assert (found["Q1_C1"]["log_comments"], found["Q1_C1"]["section_share"]) == pytest.approx((log(6), 1.0))
    assert (found["Q1_C4"]["log_comments"], found["Q1_C4"]["section_share"]) == pytest.approx((log(5), 0.0))


def _part(fold: int, section: str | None, *counts: int) -> dict[str, object]:
    return {"section": section, "fold": fold, **dict(zip(COUNTS, counts, strict=True))}


PARTS = [_part(0, None, 1, 1, 1, 1), _part(1, "Visas", 4, 1, 2, 0), _part(2, "Food", 1, 1, 0, 0)]
TOTALS = pd.DataFrame(
    [(SITE, 0, 10, 6, 5, 3), (SITE, 1, 20, 5, 10, 4), (SITE, 2, 2, 1, 1, 1), ("elsewhere", 0, 9, 9, 9, 9)],
    columns=["site", "fold", *COUNTS],
)


def test_quality_by_name_and_in_the_section() -> None:
    facts = {"author_quality_v2": {"Q1_C1": {"parts": PARTS}, "Q1_C3": {"parts": PARTS}}}
    found = _values(AuthorQualityV2(IN_SPARK, TOTALS), batch_of([THREAD], facts=facts))
    share = (3 + 5 * 12 / 32) / (6 + 5)
    assert found["Q1_C1"] == pytest.approx(
        {
            "relevant_share": share,
            "relevant_share_as_helper": (1 + 5 * 8 / 16) / (3 + 5),
            "relevant_share_in_section": (1 + 2 * share) / (4 + 2),
            "log_judged": log(7),
            "log_odds": log(4 / 4),
        }
    )
    assert found["Q1_C2"] == found["Q1_C3"] == {}
    assert (found["Q1_C4"]["relevant_share"], found["Q1_C4"]["log_judged"]) == pytest.approx((12 / 32, 0.0))


@pytest.mark.parametrize(
    ("fold", "judged", "relevant", "share"),
    [
        (0, 5, 2, (2 + 5 * 6 / 22) / (5 + 5)),
        (1, 2, 2, (2 + 5 * 7 / 12) / (2 + 5)),
        (2, 5, 2, (2 + 5 * 11 / 30) / (5 + 5)),
        (3, 6, 3, (3 + 5 * 12 / 32) / (6 + 5)),
    ],
)
def test_a_training_example_is_not_told_of_its_own_fold(fold: int, judged: int, relevant: int, share: float) -> None:
    facts = {"author_quality_v2": {"Q1_C1": {"parts": PARTS}}}
    batch = in_folds(batch_of([THREAD], facts=facts), [fold, -1, -1, -1])
    row = _values(AuthorQualityV2(IN_SPARK, TOTALS), batch)["Q1_C1"]
    assert row["relevant_share"] == pytest.approx(share)
    odds = log((1 + relevant) / (1 + judged - relevant))
    assert (row["log_judged"], row["log_odds"]) == pytest.approx((log(1 + judged), odds))


def test_workers_do_not_get_what_is_known_of_all_people() -> None:
    group = AuthorQualityV2(lambda: None, TOTALS)  # type: ignore[arg-type]
    sent = cloudpickle.loads(cloudpickle.dumps(group))
    assert set(vars(sent)) == {"totals"}
