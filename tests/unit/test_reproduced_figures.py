"""Figures of published systems in the documentation are those of the file of reproduced scores."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqa_spark.reports.sections.reproduction import POPULATIONS
from cqa_spark.systems.system import known_systems

DOCS = Path(__file__).resolve().parents[2] / "docs"
REPRODUCED = json.loads((DOCS.parent / "conf" / "reproduced.json").read_text(encoding="utf-8"))
ROW = re.compile(r"^\| `(?P<system>\w+)` \|.*?\| (?P<value>\d+\.\d\d)\b")

MAIN = ("MAP@10", "Pearson")
"""The measure that pages show."""

PAGES = ("arabic.md", "sts.md")
"""Pages with tables of published systems; that of subtasks A to C is generated."""


def rows() -> Iterator[tuple[str, str, str]]:
    """Page, system and first figure of the table rows about systems of the file."""
    for page in PAGES:
        for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
            if (row := ROW.match(line)) and row["system"] in REPRODUCED:
                yield page, row["system"], row["value"]


def test_the_file_is_about_recipes_of_this_version() -> None:
    assert set(REPRODUCED) - {POPULATIONS} <= set(known_systems())


@pytest.mark.parametrize(("page", "system", "value"), [*rows()])
def test_rows_about_published_systems_have_a_figure_of_the_file(page: str, system: str, value: str) -> None:
    figures = [scores[name] for scores in REPRODUCED[system].values() for name in MAIN if name in scores]
    assert value in [f"{100 * figure:.2f}" for figure in figures], f"{page}: {system}"


def test_pages_have_rows_to_compare() -> None:
    pages = [page for page, _, _ in rows()]
    assert {page: pages.count(page) for page in set(pages)} == {"arabic.md": 5, "sts.md": 11}


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
        for name, population in REPRODUCED[POPULATIONS].items()
        if name.endswith(task)
    }
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    assert sentence.format(random=values[0], best=values[1]) in text
