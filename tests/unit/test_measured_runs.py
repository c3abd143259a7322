"""Every figure of quality on a page is that of a run, in ``docs/measured_runs.json``, or of a shipped model's card."""

import json
import re

import pytest
from generators.measured_runs import DOCS, TABLE, filled, measured_runs
from generators.measurements import measurements_page

from cqa_spark.systems.reproduced_figures import POPULATIONS, reproduced_figures, reproduced_scores
from cqa_spark.systems.system import known_systems

RUNS = measured_runs()
PAGES = ("arabic", "duplicates", "preferred-answers", "results", "semeval", "sts", "xu-2018")
TEXTS = {page: (DOCS / f"{page}.md").read_text(encoding="utf-8") for page in PAGES}
SECTIONS = [(page, section) for page, text in TEXTS.items() for section in re.split(r"^(?=#+ )", text, flags=re.M)]
"""Pages with figures of quality, and their sections."""

NUMBER = re.compile(r"\d+\.\d+")
CODE = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|\]\(.*?\)", re.S)


@pytest.mark.parametrize("page", PAGES)
def test_tables_have_the_figures_of_their_runs(page: str) -> None:
    assert TEXTS[page] == filled(TEXTS[page], RUNS)


def test_the_page_of_measurements_has_every_run_with_its_command() -> None:
    page = measurements_page()
    assert [run for run, content in RUNS.items() if f"```\n{content['command']}\n```" not in page] == []
    shown = {table["run"] for text in TEXTS.values() for table in TABLE.finditer(text)}
    assert shown <= {*RUNS}


@pytest.mark.parametrize("page", PAGES)
def test_all_other_figures_repeat_those_of_runs(page: str) -> None:
    """Seconds and sizes that a benchmark measured stand in sections that name it."""
    orders = (100 * of[order] for of in reproduced_figures()[POPULATIONS].values() for order in ("random", "best"))
    known = {*NUMBER.findall(json.dumps(RUNS, ensure_ascii=False)), *(f"{value:.2f}" for value in orders)}
    shown = "".join(section for of_page, section in SECTIONS if of_page == page and "`bench/" not in section)
    assert {*NUMBER.findall(CODE.sub("", TABLE.sub("", shown)))} - known == set()


def test_reproduced_figures_are_about_recipes_of_this_version() -> None:
    assert {*reproduced_scores()} <= {*known_systems()}
