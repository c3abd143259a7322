"""The page of one thread: a waterfall of each score."""

import re

import pytest

from cqa_spark.reports.kinds import EXPLANATION
from cqa_spark.reports.kit.svg import NARROW, WIDE
from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.reports.sections.explanation import Explained, _waterfall

VOTES = FeatureContribution("standing__net", 12.0, 0.5, about="votes")
LENGTH = FeatureContribution("markup__characters", 80.0, -0.25, about="characters")
EXPLAINED = Explained(
    "mine",
    "forum.test",
    "42",
    "test",
    (("7<", 0.7, True, (VOTES, LENGTH)), ("8", 0.1, None, ())),
    ("", ""),
    (0.35, 0.0),
)


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_each_step_begins_where_the_one_above_ends_and_the_last_bar_is_their_sum(width: int) -> None:
    picture = _waterfall((VOTES, LENGTH), 0.35, width)
    bars = [(round(bar.get_x(), 6), round(bar.get_width(), 6)) for bar in picture.figure.axes[0].patches]
    assert bars == [(0.0, 0.5), (0.5, -0.25), (0.25, 0.1), (0.0, 0.35)]
    assert picture.description == f"votes = 12: +0.500; characters = 80: {MINUS}0.250; all other features: +0.100"


def test_the_page_has_a_plot_for_each_candidate_with_contributions() -> None:
    page = EXPLANATION.collect(EXPLAINED).page()
    assert page == EXPLANATION.collect(EXPLAINED).page()
    assert {*re.findall(r'id="[^"]*(candidate-\d)-(?:wide|narrow)', page)} <= {"candidate-1"}
    assert "7&lt;" in page
    assert "7<<" not in page
    assert page.count("<svg") == 2, "wide and narrow"
