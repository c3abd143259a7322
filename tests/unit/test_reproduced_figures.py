"""Figures of systems in the documentation are those of the file of reproduced figures."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqa_spark.systems.reproduced_figures import ERRORS, POPULATIONS, VALUES
from cqa_spark.systems.system import known_systems

ROOT = Path(__file__).resolve().parents[2]
FIGURES = json.loads((ROOT / "conf" / "reproduced.json").read_text(encoding="utf-8"))
PAGES = ("arabic.md", "results.md", "semeval.md", "sts.md")
"""Pages with tables of systems; that of published systems for subtasks A to C is generated."""


MEASURE = re.compile(r"(MAP@10|AvgRec@10|MRR@10|F1|Accuracy|Pearson)(, .*)?")
"""The heading of a column of figures."""

BY_RUN = {
    *("lexicon", "logistic_a", "boosted_a", "lexical_a", "best_a", "neural_a", "cross_encoder_a"),
    *("lexical_b", "best_b", "lexical_c", "best_c", "neural_c"),
    *("given_order_d", "best_d"),
    *("lexical_sts", "best_sts", "encoders_sts", "best_sts_multilingual"),
}
"""Systems that only ``cqa run`` has measured; their pages name the settings."""

TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)

MEASURED = ("README.md", *(f"docs/{page}" for page in (*PAGES, "duplicates.md", "preferred-answers.md")))
"""Files whose tables of figures are compared, or name the command that computed them."""

COMMAND = re.compile(r"cqa\s+(run|reproduce|experiment|nightly|train|tune)\b|bench/\w+\.py")


def page_text(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


REACHED = re.compile(r"`(\w+)`(?:, [\w ]+,)? (?:reache[ds] (?:a MAP of )?|\()(\d+\.\d\d)")
"""A system's score in a sentence."""


def columns_of_figures() -> Iterator[tuple[str, str, str, str]]:
    """Page, system, measure and figure of each cell below a measure, in tables of systems."""
    for page in PAGES:
        for table in TABLE.findall(page_text(page)):
            heading, _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()]
            columns = {place: match[1] for place, name in enumerate(heading) if (match := MEASURE.fullmatch(name))}
            for row in rows:
                names = re.findall(r"`(\w+)`", " ".join(row[:2]))
                if names:
                    figures = [(measure, row[place]) for place, measure in columns.items() if row[place]]
                    yield from ((page, names[0], *figure) for figure in figures)


def known_figures(system: str, measure: str) -> dict[str, str | None]:
    """The figures of a system by a measure, as pages show them, with their standard errors.

    Those that were measured before the file had standard errors have None.
    """
    values, errors = (FIGURES[section].get(system, {}) for section in (VALUES, ERRORS))
    return {
        f"{100 * scores[measure]:.2f}": f"{100 * errors[part][measure]:.2f}" if part in errors else None
        for part, scores in values.items()
        if measure in scores
    }


def test_the_file_is_about_recipes_of_this_version() -> None:
    assert {*FIGURES[VALUES], *FIGURES[ERRORS]} <= {*known_systems()}


@pytest.mark.parametrize(
    ("page", "system", "measure", "figure"), [row for row in columns_of_figures() if row[1] not in BY_RUN]
)
def test_tables_of_systems_have_figures_of_the_file(page: str, system: str, measure: str, figure: str) -> None:
    shown = re.fullmatch(r"(?P<value>\d+\.\d\d)( ± (?P<error>\d+\.\d\d)| \[.*\])?", figure)
    assert shown, f"{page}: {figure}"
    figures = known_figures(system, measure)
    assert shown["value"] in figures
    assert None in (shown["error"], figures[shown["value"]]) or shown["error"] == figures[shown["value"]]


@pytest.mark.parametrize("file", MEASURED)
def test_tables_of_figures_name_the_command_that_computed_them(file: str) -> None:
    sections = re.split(r"^(?=#+ )", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    with_figures = [
        section for section in sections if any(re.search(r"\d\.\d", table) for table in TABLE.findall(section))
    ]
    assert with_figures
    assert [section.splitlines()[0] for section in with_figures if not COMMAND.search(section)] == []


def test_sentences_repeat_the_scores_of_the_tables() -> None:
    in_tables = {(system, figure.split()[0]) for _, system, _, figure in columns_of_figures()}
    in_file = {(system, figure) for system in FIGURES[VALUES] for figure in known_figures(system, "MAP@10")}
    text = " ".join(" ".join(map(page_text, PAGES)).split())
    reached = {*REACHED.findall(text)}
    assert {("best_a", "71.34"), ("like_overfitting_2016_b", "73.66")} <= reached
    assert reached - in_tables - in_file == set()


def test_pages_agree_on_the_figures_of_a_system() -> None:
    shown: dict[tuple[str, str], set[str]] = {}
    for _, system, measure, figure in columns_of_figures():
        if system in BY_RUN:
            shown.setdefault((system, measure), set()).add(figure.split()[0])
    assert {key: figures for key, figures in shown.items() if len(figures) > 1} == {}


@pytest.mark.parametrize(
    ("page", "system", "baseline", "sentence"),
    [
        ("arabic.md", "best_d", "given_order_d", "({difference}, p = 0.001)"),
        ("results.md", "best_b", "search_order_b", "of `best_b` ({difference}, p = 0.013)"),
        ("results.md", "best_c", "search_order_c", "of `best_c` ({difference}, p = 0.018)"),
        ("results.md", "lexical_c", "search_order_c", "of `lexical_c` ({difference}, p = 0.011)"),
        ("results.md", "neural_c", "search_order_c", "of `neural_c` ({difference}, p = 0.008)"),
        ("semeval.md", "lexical_c", "search_order_c", "`lexical_c` exceeds the search order by {difference} points"),
        ("semeval.md", "super_2016_c", "search_order_c", "compared ({difference}, p < 0.01)"),
        ("semeval.md", "convkn_2016_c", "search_order_c", "are not ({difference}, p = 0.20;"),
        ("semeval.md", "mte_nn_2016_c", "search_order_c", "; {difference}, p = 0.34)"),
        ("semeval.md", "like_overfitting_2016_b", "search_order_b", "({difference}, p = 0.30)"),
        ("semeval.md", "neural_c", "search_order_c", "{difference} points above the search order"),
    ],
)
def test_differences_in_sentences_are_those_of_the_figures(
    page: str, system: str, baseline: str, sentence: str
) -> None:
    figures = {of: float(figure.split()[0]) for _, of, measure, figure in columns_of_figures() if measure == "MAP@10"}
    for of, parts in FIGURES[VALUES].items():
        (figures[of],) = {100 * scores["MAP@10"] for scores in parts.values() if "MAP@10" in scores} or {0.0}
    sign = "" if " points" in sentence else "+"
    difference = f"{figures[system] - figures[baseline]:{sign}.2f}"
    assert sentence.format(difference=difference) in " ".join(page_text(page).split())


def test_no_figure_is_outside_the_file_without_need() -> None:
    assert {system for system in BY_RUN if system in FIGURES[VALUES]} == set()


def test_pages_have_tables_to_compare() -> None:
    pages = [page for page, system, *_ in columns_of_figures() if system not in BY_RUN]
    assert {page: pages.count(page) for page in set(pages)} == {"arabic.md": 5, "results.md": 11, "sts.md": 17}


@pytest.mark.parametrize(
    ("page", "task", "sentence"),
    [
        ("results.md", "question_comment", "MAP of {random} on A"),
        ("results.md", "question_question", "{random} on B"),
        ("results.md", "external_comment", "{random} on C"),
        ("semeval.md", "question_comment", "(random order {random}, given order 53.84)"),
        ("results.md", "question_comment", "candidate, {best}, "),
        ("arabic.md", "arabic_pair", "a random order reaches {random}, the best order {best}"),
    ],
)
def test_random_and_best_orders_are_those_of_the_file(page: str, task: str, sentence: str) -> None:
    (values,) = {
        (f"{100 * population['random']:.2f}", f"{100 * population['best']:.2f}")
        for name, population in FIGURES[POPULATIONS].items()
        if name.endswith(task)
    }
    text = " ".join(page_text(page).split())
    assert sentence.format(random=values[0], best=values[1]) in text
