"""Figures of preferred answers in the documentation are those of the runs in ``docs/measured_runs.json``."""

import json
import re
from typing import Any

import pytest
from page_tables import ROOT, points, rows

from cqa_spark.reports.kit.numbers import p_value
from cqa_spark.reports.sections.xu_2018.labels import label
from cqa_spark.reports.sections.xu_2018.published import TABLE_4

PAGE = "docs/preferred-answers.md"
RUNS = json.loads((ROOT / "docs" / "measured_runs.json").read_text(encoding="utf-8"))
LONGEST = "longest_answer"
AT_THE_CUT = {
    "longest answer at the cut": LONGEST,
    "most votes at the cut": "most_votes_asof",
    "highest reputation as of the cut": "highest_reputation_asof",
    "highest reputation of the dump": "highest_reputation",
    "random, expectation": "random_answer",
}
"""Baselines by their names in tables of answers posted by the cut."""

SITES = ("beer.stackexchange.com", "quantumcomputing.stackexchange.com", "bicycles.meta.stackexchange.com")
"""The sites of a table with a column for each."""

BY_VARIANT = [("four", "system, at least four answers"), ("two_answers", "system, at least two answers")]
BY_DIFFERENCE = [
    ("as_of_the_cut", "system, 238 questions"),
]
"""Runs, and the headings of their tables."""


def shown(run: str, system: str) -> str:
    """A system's P@1 in points with its interval; that of a random order is an expectation."""
    figure = RUNS[run]["systems"][system]
    value, low, high = (f"{100 * figure[name]:.1f}" for name in ("value", "low", "high"))
    return value if system == "random_answer" else f"{value} [{low}, {high}]"


def against_longest(run: str, system: str) -> dict[str, Any]:
    systems = RUNS[run]["systems"]
    difference = {"difference": systems[system]["value"] - systems[LONGEST]["value"]}
    return difference | systems[system].get("against", {}).get(LONGEST, {})


@pytest.mark.parametrize(("run", "heading"), BY_VARIANT)
def test_systems_as_of_the_cut_and_of_the_dump(run: str, heading: str) -> None:
    table = rows(PAGE, heading)
    expected: dict[str, list[str]] = {name: ["", "", ""] for name, *_ in table}
    for system in RUNS[run]["systems"]:
        name, _, variant = label(system).partition(" (")
        column = int(variant == "snapshot)" or system == "highest_reputation")
        expected[name][column] = shown(run, system)
        if system in TABLE_4:
            expected[name][2] = f"{100 * TABLE_4[system].small:.1f}"
    columns = len(table[0]) - 1
    assert {name: [cell.replace("*", "") for cell in cells] for name, *cells in table} == {
        name: cells[:columns] for name, cells in expected.items()
    }


@pytest.mark.parametrize(("run", "heading"), BY_DIFFERENCE)
def test_differences_from_the_longest_answer(run: str, heading: str) -> None:
    names = {re.sub(r" \((.*)\)", r", \1", label(system)): system for system in RUNS[run]["systems"]} | AT_THE_CUT
    table = {names[name]: cells for name, *cells in rows(PAGE, heading)}
    assert {*table} == {*RUNS[run]["systems"]}
    for system, (value, difference, *of_sites) in table.items():
        assert value.replace("*", "") == shown(run, system)
        if system != LONGEST:
            compared = against_longest(run, system)
            tested = f", {p_value(compared['p_value'])}" if "p_value" in compared else ""
            assert difference == points(compared["difference"]) + tested
        values = RUNS[run]["systems"][system]["sites"]
        assert of_sites == [f"{100 * values[site]:.1f}" for site, _ in zip(SITES, of_sites, strict=False)]


@pytest.mark.parametrize(
    ("run", "system", "baseline", "sentence"),
    [
        (
            "four",
            "metadata_network_snapshot",
            "first_answer",
            "the first answer, by {difference} (multilayer perceptron, {p_value})",
        ),
        (
            "four",
            "metadata_text_snapshot",
            "first_answer",
            "to {difference} points (trees with the answer's text, {p_value})",
        ),
        ("four", "metadata_text_asof", "first_answer", "exceed it (+{difference}, {p_value})"),
        ("four", "metadata_text_asof", "most_votes_asof", "the closest is {difference} points below ({p_value})"),
        (
            "two_answers",
            "metadata_boosted_snapshot",
            "longest_answer",
            "the paper's, by {difference} points ({p_value})",
        ),
        ("two_answers", "metadata_boosted_snapshot", "most_votes_asof", "most votes by {difference} ({p_value})"),
        (
            "two_answers",
            "metadata_boosted_asof",
            "longest_answer",
            "than the longest answer (+{difference}, {p_value})",
        ),
        ("two_answers", "metadata_boosted_asof", "highest_reputation_asof", "as of the cut (+{difference}, {p_value})"),
        ("two_answers", "metadata_text_asof", "highest_reputation_asof", "cut (+{difference}, {p_value}), but not"),
        ("two_answers", "metadata_text_asof", "longest_answer", "the longest answer (+{difference}, {p_value}) or"),
        ("two_answers", "metadata_text_asof", "most_votes_asof", "or most votes (+{difference}, {p_value})"),
    ],
)
def test_sentences_about_comparisons(run: str, system: str, baseline: str, sentence: str) -> None:
    compared = RUNS[run]["systems"][system]["against"][baseline]
    difference, tested = f"{100 * abs(compared['difference']):.1f}", p_value(compared["p_value"])
    page = " ".join((ROOT / PAGE).read_text(encoding="utf-8").split())
    assert sentence.format(difference=difference, p_value=tested) in page
