"""The heat map of attention weights."""

import io
from dataclasses import replace

import literal_report as literal
from html_checks import drawn
from lxml import etree, html
from rich.console import Console

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.blocks import Cell
from cqa_spark.reports.kit.console import print_blocks
from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.reports.reported_run import Caution
from cqa_spark.reports.sections.experiments import Ablation, SeedValues
from cqa_spark.reports.sections.xu_2018 import section
from cqa_spark.reports.sections.xu_2018.section import conclusions, plot_attention
from cqa_spark.reports.sections.xu_2018.study import AnswerStudy, AttentionExample, Contrast, Figure, Search, Transfer
from cqa_spark.reports.sections.xu_2018.tables import by_site, searched, table_4, table_5, tables, too_small

ATTENTION = AttentionExample(
    "decatt_asof", "s", "Q", "A", ("cold", "beer"), ("warm", "ale", "the"), (2, -2, 0, 0, 6, 0)
)


def test_weights_are_scaled_to_the_range_from_0_to_1() -> None:
    assert ATTENTION.normalised() == [[0.5, 0.0, 0.25], [0.25, 1.0, 0.25]]
    assert AttentionExample("", "", "", "", ("one",), ("other",), (3.0,)).normalised() == [[0.0]]


def test_the_heat_map_names_all_words_and_the_strongest_pairs_and_leaves_squares_of_0_out() -> None:
    drawing = drawn(plot_attention, ATTENTION)
    root = etree.fromstring(drawing)
    assert {element.text for element in root.iter("text")} >= {"cold", "beer", "warm", "ale", "the"}
    assert "the strongest: beer and ale; cold and warm" in root.get("aria-label")
    assert drawing.count("var(--accent)") - drawing.count("stroke: var(--accent)") == 5
    assert drawn(plot_attention, ATTENTION) == drawing


# The tables and conclusions of the preferred-answer experiment.

BEST, AS_OF, SNAPSHOT = "first_answer", "metadata_boosted_asof", "metadata_boosted_snapshot"
VALUES = {BEST: 0.4, "random_answer": 0.3, AS_OF: 0.5, SNAPSHOT: 0.7}
SITES = {EVERY: 500, "beer.example.org": 40, "wine.example.org": 460}


def figure(system: str, site: str) -> Figure:
    value, half = VALUES[system], 0.12 if site.startswith("beer") else 0.03
    return Figure(system, site, "P@1", value, value - half, value + half, SITES[site], value - VALUES[BEST], 0.01)


def ablation(system: str, variant: str, family: str, value: float, p_value: float) -> Ablation:
    full = VALUES[system]
    return Ablation(system, value, value - 0.03, value + 0.03, 0.95, value - full, p_value, variant, family, 3)


STUDY = AnswerStudy(
    part="test",
    baseline=BEST,
    measures=("P@1",),
    figures=tuple(figure(system, site) for system in VALUES for site in SITES),
    contrasts=(
        Contrast(AS_OF, BEST, 0.1, 0.2),
        Contrast(AS_OF, "random_answer", 0.2, 0.001),
        Contrast(SNAPSHOT, BEST, 0.3, 0.0001),
        Contrast(SNAPSHOT, AS_OF, 0.2, 0.0001),
    ),
    transfers=tuple(
        Transfer(AS_OF, site, on, 0.45, 0.4, 0.5, -0.05 if on == "others" else 0.0, 0.03 if on == "others" else 1.0)
        for site in SITES
        for on in ("all", "own", "others")
    ),
)
ABLATIONS = (
    ablation(AS_OF, "all", "", 0.5, 1.0),
    ablation(AS_OF, "without", "comments", 0.42, 0.001),
    ablation(AS_OF, "only", "comments", 0.45, 0.03),
    ablation(AS_OF, "without", "badges", 0.505, 0.6),
    ablation(AS_OF, "only", "badges", 0.35, 0.001),
)


def test_table_4_has_the_values_of_the_paper_and_marks_snapshots() -> None:
    rows = dict(table_4(STUDY).rows)
    assert list(rows) == [
        "boosted trees (snapshot) *", "boosted trees (as of the cut)", "first answer", "random"
    ]  # fmt: skip
    assert rows["boosted trees (as of the cut)"][0] == Cell("50.00", "[47.00, 53.00]")
    assert rows["boosted trees (as of the cut)"][1] == Cell("+10.00", "p = 0.010", "better")
    assert [cell.text for cell in rows["first answer"][-2:]] == ["23.40", "24.30"]


def test_table_5_has_our_losses_and_those_of_the_paper() -> None:
    rows = dict(table_5(replace(STUDY, ablations=ABLATIONS)).rows)
    assert list(rows) == ["all", "Comments", "Badges"]
    without, alone, small, large = rows["Comments"]
    assert without == Cell("\N{MINUS SIGN}8.00", "p = 0.001", "worse")
    assert (alone.text, small.text, large.text) == ("45.00", "\N{MINUS SIGN}10.00", "\N{MINUS SIGN}8.60")
    assert rows["Badges"][0].role == "unclear"


def test_tuning_shows_the_chosen_parameters() -> None:
    better = Search(AS_OF, 3, 0.5, {"depth": 4, "l2": 0.3}, 0.52, 0.49, 0.55, 0.02, 0.04)
    kept = Search(SNAPSHOT, 3, 0.7, {}, 0.7, 0.67, 0.73, 0.0, 1.0)
    grid = searched(replace(STUDY, searches=(better, kept)))
    rows = dict(grid.rows)
    given, best, difference, trials = rows["boosted trees (as of the cut)"]
    assert (given.text, best.text, trials.text) == ("50.00", "52.00", "3")
    assert difference == Cell("+2.00", "p = 0.040", "better")
    assert grid.about.endswith(
        "Chosen parameters: boosted trees (as of the cut): depth 4, l2 0.3; boosted trees (snapshot): default."
    )
    assert "boosted trees (snapshot) *" in rows


def test_a_site_that_is_too_small_is_named() -> None:
    assert list(too_small(STUDY)) == [
        "beer.example.org has only 40 questions: "
        "an uncertainty of ±12.00 points is too large to distinguish most systems."
    ]
    assert "beer.example.org (40)" in by_site(STUDY).headings


def test_the_conclusion_names_significant_differences() -> None:
    assert conclusions(STUDY) == (
        "boosted trees (as of the cut): significantly better than random; no significant difference from first answer.",
    )
    better = replace(STUDY, contrasts=(Contrast(AS_OF, BEST, 0.1, 0.02), *STUDY.contrasts[1:]))
    assert conclusions(better) == (
        "boosted trees (as of the cut): significantly better than every baseline; the closest is first answer "
        "(+10.00 points, p = 0.020).",
    )


def test_the_page_shows_tables_cautions_and_what_moved_a_score() -> None:
    queries = literal.queries()
    story = queries.stories[0]
    contributions = (
        FeatureContribution("basic_u_asof_v1__reputation", 42.0, -0.25),
        FeatureContribution("basic_q_asof_v1__created", 1_401_349_380.0, 0.5, is_time=True),
    )
    explained = replace(story.candidates[0], contributions=contributions)
    stories = (replace(story, candidates=(explained, *story.candidates[1:])),)
    parts = {
        "cautions": (Caution("it knows <the> future", ("basic_u_snapshot_v1",), ("best_a",)),),
        "preferred-answer": replace(STUDY, ablations=ABLATIONS),
        "queries": replace(queries, stories=stories),
    }
    page = html.document_fromstring(literal.full_report(**parts).page())
    sections = [each.get("id") for each in page.iter("section")]
    assert sections[:2] == ["cautions", "preferred-answer"]
    text = " ".join(page.text_content().split())
    assert "basic_u_snapshot_v1: it knows <the> future. This affects the results of best_a." in text
    assert "Transfer between sites" in text
    assert "\N{MINUS SIGN}0.250 basic_u_asof_v1__reputation = 42" in text
    assert "+0.500 basic_q_asof_v1__created = 2014-05-29 07:43" in text


def test_seeds_are_labelled_like_the_systems() -> None:
    seeds = (SeedValues(AS_OF, (0.5, 0.52, 0.48)), SeedValues(SNAPSHOT, (0.7, 0.72)))
    (table,) = [grid for grid in tables(replace(STUDY, seeds=seeds)) if grid.title == "Seeds"]
    assert [name for name, _ in table.rows] == ["boosted trees (as of the cut)", "boosted trees (snapshot) *"]


def test_a_terminal_shows_the_same_tables() -> None:
    shown = io.StringIO()
    print_blocks(section.blocks(STUDY), Terminal(Console(file=shown, width=40)))
    assert "50.00 [47.00, 53.00]" in shown.getvalue()
    assert "Snapshot and as-of features" in shown.getvalue()
