"""The drawings: the right lengths and labels, colours that follow the page, the same bytes again."""

import re
from dataclasses import replace

import literal_report as literal
import pytest
from html_checks import drawn, labels, words
from lxml import etree, html
from markupsafe import Markup
from matplotlib.axes import Axes

from cqa_spark.lake.run_log import StepRecord
from cqa_spark.reports.kit import svg
from cqa_spark.reports.kit.svg import NARROW, ROLES, WIDE, folded, group_role, sentinel, themed
from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.reports.sections.differences import Differences, plot_differences
from cqa_spark.reports.sections.features import ReportedImportance, plot_importances
from cqa_spark.reports.sections.record import plot_steps
from cqa_spark.reports.sections.scores import ScoreHistogram, plot_calibration, plot_scores
from cqa_spark.reports.sections.systems import plot_measure


def test_a_measure_names_every_system_and_its_value() -> None:
    drawing = drawn(plot_measure, literal.evaluation(), "MAP@10")
    shown = labels(drawing)
    assert [label for label in shown if label in literal.VALUES] == list(literal.VALUES)
    for values in literal.VALUES.values():
        assert f"{values[0] * 100:.2f}" in shown
    assert "best_a 70.12 [67.52, 72.62]" in drawing


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_a_drawing_is_as_wide_as_asked_and_fits_its_container(width: int) -> None:
    root = etree.fromstring(drawn(plot_measure, literal.evaluation(), "MAP@10", width=width))
    assert root.get("viewBox").startswith(f"0 0 {width} ")
    assert "width" not in root.attrib
    assert "height" not in root.attrib


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (NARROW, ["the number of words of the candidate that are also in", "the question, or similar"]),
        (WIDE, ["the number of words of the candidate that are also in the", "question, or similar"]),
    ],
)
def test_the_meaning_of_a_feature_is_legible_in_both_widths(width: int, lines: list[str]) -> None:
    about = "the number of words of the candidate that are also in the question, or similar"
    feature = ReportedImportance("best_a", "overlap_v1", "words", 0.5, 1, about)
    assert labels(drawn(plot_importances, [feature], {"overlap_v1": "accent"}, width=width)) == [*lines, "50.0 +"]


def test_a_long_meaning_of_a_feature_is_truncated_after_two_lines() -> None:
    feature = ReportedImportance("best_a", "overlap_v1", "words", 0.5, 1, "word " * 40)
    first, second, _ = labels(drawn(plot_importances, [feature], {"overlap_v1": "accent"}, width=WIDE))
    assert (first, second) == (" ".join(["word"] * 12), " ".join(["word"] * 12) + " w…")


def test_a_name_on_one_line_is_truncated_wherever_the_line_ends() -> None:
    assert folded("ruby-on-rails-active-record-something", 26, 1) == "ruby-on-rails-active-reco…"
    assert folded("a" * 60, 26, 2) == "a" * 26 + "\n" + "a" * 25 + "…"


def test_differences_are_described() -> None:
    differences = Differences("best", "given", "MAP@10", ((0.5, 3), (0.0, 2), (-0.25, 1)))
    assert "better on 3, equal on 2, worse on 1 queries" in drawn(plot_differences, differences, width=WIDE)


def test_bars_of_differences_have_the_length_of_their_queries() -> None:
    differences = Differences("best", "given", "MAP@10", ((0.5, 3), (-0.5, 1)))
    gains, losses = filled(drawn(plot_differences, differences, width=WIDE))
    wide, narrow = (max(xs) - min(xs) for xs in (used_width(gains), used_width(losses)))
    assert wide == pytest.approx(3 * narrow, abs=0.01)


def filled(drawing: Markup) -> list[list[tuple[float, float]]]:
    """Corner points of the filled areas."""
    paths = [
        element
        for element in etree.fromstring(drawing).iter("path")
        if re.search(r"fill: var\(--(accent|loss)\)", element.get("style", ""))
    ]
    return [[(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", path.get("d"))] for path in paths]


def used_width(points: list[tuple[float, float]]) -> list[float]:
    """Places along the axis where the area has a height."""
    line = next(y for _, y in points if sum(other == y for _, other in points) > 2)
    return [x for x, y in points if y != line]


def test_scores_describe_their_counts() -> None:
    histogram = ScoreHistogram("best", -1.0, 2.5, (0, 3), (4, 1), (0, 0))
    assert "Scores of best from -1 to 2.5: 3 relevant, 5 not relevant candidates." in drawn(plot_scores, histogram)


def test_a_rare_kind_of_candidates_is_as_high_as_the_other() -> None:
    histogram = ScoreHistogram("best", 0.0, 1.0, (0, 2), (1000, 0), (0, 0))
    above, below = ({y for _, y in points} for points in filled(drawn(plot_scores, histogram)))
    [axis] = above & below
    assert axis - min(above) == pytest.approx(max(below) - axis, abs=0.01)


def test_scores_that_are_all_equal_can_be_drawn() -> None:
    histogram = ScoreHistogram("best", 0.5, 0.5, (3, 0), (4, 0), (2, 0))
    assert "2 unjudged" in drawn(plot_scores, histogram)


def test_features_show_share_and_direction_and_mathematics_stays_text() -> None:
    features = [ReportedImportance("best", "a_v1", "$x_1$", 0.75, 1), ReportedImportance("best", "b_v1", "y", 0.25, -1)]
    drawing = drawn(plot_importances, features, {"a_v1": "group-1", "b_v1": "group-2"})
    assert labels(drawing) == ["$x_1$", "y", "75.0 +", f"25.0 {MINUS}"]
    assert "fill: var(--group-2)" in drawing


def test_steps_show_their_time() -> None:
    assert labels(drawn(plot_steps, [StepRecord("read_text", 1, 1, 0, 61.0)])) == ["read text", "1 min 01 s"]


def test_a_group_keeps_its_colour_in_every_system() -> None:
    page = html.document_fromstring(literal.short_report(features=literal.importances()).page())
    section = page.get_element_by_id("features")
    shown = [words(section.find("h3")), *(words(summary) for summary in section.iter("summary"))]
    assert shown[:2] == ["best_a", "logistic"]
    first, second = ([(words(key), key.find("i").get("style")) for key in legend.find_class("key")]
                     for legend in section.find_class("legend"))  # fmt: skip
    assert first == second
    colours = [("lexicon_v1", "background:var(--group-1)"), ("dialogue_v1", "background:var(--group-2)")]
    assert first[:2] == colours


def test_a_system_that_was_not_measured_is_left_out_of_the_drawing() -> None:
    evaluation = literal.evaluation()
    evaluation = replace(evaluation, systems=(*evaluation.systems, "unmeasured"))
    assert "unmeasured" not in drawn(plot_measure, evaluation, "MAP@10")


def test_every_role_has_its_own_sentinel_and_variable() -> None:
    assert len({sentinel(role) for role in ROLES}) == len(ROLES)
    assert themed(f"fill: {sentinel('ink')}; stroke: {sentinel('loss').upper()}") == (
        "fill: var(--ink); stroke: var(--loss)"
    )
    assert group_role(8) == group_role(0) == "group-1"


def test_calibration_is_the_share_of_relevant_candidates_by_score() -> None:
    histogram = ScoreHistogram("best", 0.0, 1.0, (10, 3, 60, 30), (30, 6, 20, 0), (0, 50, 0, 0))
    drawing = drawn(plot_calibration, histogram)
    assert "25 % of 40 at 0.125; 75 % of 80 at 0.625; 100 % of 30 at 0.875." in drawing
    assert {"0", "50", "100 %"} <= set(labels(drawing))


def test_the_largest_dot_is_that_of_the_most_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    areas: list[float] = []
    monkeypatch.setattr(Axes, "scatter", lambda axes, x, y, s, **style: areas.extend(s))
    plot_calibration(ScoreHistogram("best", 0.0, 1.0, (10, 3, 60, 30), (30, 6, 20, 0), (0, 50, 0, 0)), 400)
    assert max(areas) == areas[1]
    assert [area / areas[1] for area in areas] == pytest.approx([40 / 80, 1, 30 / 80])
    assert areas[1] == svg._LARGEST_DOT**2
