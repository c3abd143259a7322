"""Every figure of quality on a page is that of a run, in ``docs/measured_runs.json``, or of a shipped model's card."""

import json
import re

import pytest
from generators.measured_runs import DOCS, TABLE, filled, measured_runs
from generators.provenance import provenance

from cqa_spark.systems.reproduced_figures import POPULATIONS, reproduced_figures, reproduced_scores
from cqa_spark.systems.system import known_systems

RUNS = measured_runs()
PAGES = ("arabic", "duplicates", "preferred-answers", "results", "semeval", "sts")
TEXTS = {page: (DOCS / f"{page}.md").read_text(encoding="utf-8") for page in PAGES}
SECTIONS = [(page, section) for page, text in TEXTS.items() for section in re.split(r"^(?=#+ )", text, flags=re.M)]
"""Pages with figures of quality, and their sections."""

NUMBER = re.compile(r"\d+\.\d+")
CODE = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|\]\(.*?\)", re.S)


def in_one_line(text: str) -> str:
    return " ".join(text.replace("\\\n", " ").split())


@pytest.mark.parametrize("page", PAGES)
def test_tables_have_the_figures_of_their_runs(page: str) -> None:
    assert TEXTS[page] == filled(TEXTS[page], RUNS)


def test_every_run_has_a_table() -> None:
    """Or one of its splits has."""
    shown = {table["run"] for text in TEXTS.values() for table in TABLE.finditer(text)}
    assert {run.split()[0] for run in RUNS} == {run.split()[0] for run in shown}


@pytest.mark.parametrize(
    ("page", "section", "run"),
    [
        pytest.param(TEXTS[page], section, run, id=run)
        for page, section in SECTIONS
        for run in re.findall("<!-- run (.+) -->", section)
    ],
)
def test_sections_say_how_figures_were_measured(page: str, section: str, run: str) -> None:
    """The number of queries, what can be reached at all, and the command."""
    text = in_one_line(section)
    assert f"{RUNS[run]['queries']:,} " in text
    assert RUNS[run]["command"] in text
    if provenance()[run].get("elsewhere"):
        assert "on data that this repository does not have" in in_one_line(page).lower()
    else:
        assert re.search(r"[Rr]andom (order|answers)\b.*\bbest (order|answers)\b", text)


@pytest.mark.parametrize("page", PAGES)
def test_all_other_figures_repeat_those_of_runs(page: str) -> None:
    """Seconds and sizes that a benchmark measured stand in sections that name it."""
    orders = (100 * of[order] for of in reproduced_figures()[POPULATIONS].values() for order in ("random", "best"))
    of_runs = [RUNS[table["run"]] for table in TABLE.finditer(TEXTS[page])]
    known = {*NUMBER.findall(json.dumps(of_runs, ensure_ascii=False)), *(f"{value:.2f}" for value in orders)}
    shown = "".join(section for of_page, section in SECTIONS if of_page == page and "`bench/" not in section)
    assert {*NUMBER.findall(CODE.sub("", TABLE.sub("", shown)))} - known == set()


def test_reproduced_figures_are_about_recipes_of_this_version() -> None:
    assert {*reproduced_scores()} <= {*known_systems()}
