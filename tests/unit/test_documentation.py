"""The documentation: links lead somewhere, promises name tests, code is in the reference, pages need no network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import CHROMIUM, browser
from lxml import html

from cqa_spark.commands.jobs import listed_jobs
from cqa_spark.evaluation.measures import MEASURES
from cqa_spark.features.registry import known_groups
from cqa_spark.lake.schemas import declared_tables

ROOT = Path(__file__).resolve().parents[2]
TESTS = re.compile(r"^def test_|^Test\w+ = ", re.MULTILINE)
"""A test, or the tests of a state machine."""

LOADED = "//script/@src | //link[@rel='stylesheet' or @rel='icon']/@href | //img/@src | //iframe/@src"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built; a link or anchor without a target is an error."""
    folder = tmp_path_factory.mktemp("docs")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def _text(page: Path) -> str:
    return str(html.parse(str(page)).getroot().text_content())


def test_the_reference_has_all_that_is_declared(pages: Path) -> None:
    reference = {name: _text(pages / "reference" / f"{name}.html") for name in ("commands", "features", "tables")}
    commands = [f"cqa {name}" for name in listed_jobs()]
    assert [name for name in commands if name not in reference["commands"]] == []
    assert [name for name in known_groups() if name not in reference["features"]] == []
    assert [name for name in declared_tables() if name not in reference["tables"]] == []
    measures = _text(pages / "reference" / "measures.html")
    assert [str(measure()) for measure in MEASURES.load_all().values() if str(measure()) not in measures] == []
    recipes = [path.stem for path in (ROOT / "conf" / "systems").glob("*.yaml")]
    systems = _text(pages / "reference" / "systems.html")
    assert [name for name in recipes if name not in systems] == []


def test_published_scores_are_beside_their_sources(pages: Path) -> None:
    rows = html.parse(str(pages / "reference" / "reproductions.html")).xpath("//tr")
    texts = [[cell.text_content() for cell in row.xpath("td")] for row in rows]
    of_2016, dev, _ = [row for row in texts if row[:3:2] == ["given_order", "MAP@10"]]
    assert (of_2016[1], of_2016[3], dev[1], dev[3]) == ("test", "59.53", "dev", "53.84")
    assert any(cell.startswith("faithful") for cell in dev)
    assert "cqa reproduce SYSTEM --data-set semeval2016" in _text(pages / "reference" / "reproductions.html")


@pytest.mark.more
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_tables_fit_the_screen_of_a_phone(pages: Path, tmp_path: Path) -> None:
    wide = """[...document.querySelectorAll('article *')].filter((each) => each.querySelector('table')
        && !each.closest('.notebook-output') && each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.innerText)"""
    shown = sorted(path for path in pages.rglob("*.html") if path.name != "404.html")
    with browser(tmp_path) as tab:
        for path in shown:
            tab.open(path.as_uri(), width=390)
            assert (path.name, tab.value(wide)) == (path.name, [])
    assert shown


def test_every_promise_names_tests_that_exist() -> None:
    reliability = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\|.* test \|\n\|[-|]+\n((?:\|.*\n)+)", reliability, re.MULTILINE)
    promises = [row.strip("| ").split(" | ") for table in tables for row in table.splitlines()]
    assert promises
    lacking = []
    for promise, *_, names in promises:
        folder = ""  # a name without a folder lies in that of the name before it
        for name in re.findall(r"`([^`]+)`", names) or [names]:
            folder, _, file = name.rpartition("/") if "/" in name else (folder, "", name)
            path = ROOT / "tests" / folder / file
            if not (path.is_file() and TESTS.search(path.read_text(encoding="utf-8"))):
                lacking.append((promise, name))
    assert lacking == []


def test_the_tests_that_pages_name_exist() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {name for page in pages for name in re.findall(r"`(tests/[\w/.]+)`", page.read_text(encoding="utf-8"))}
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_changes_name_files_that_exist() -> None:
    page = (ROOT / "docs" / "how-to" / "change-the-code.md").read_text(encoding="utf-8")
    table = page.partition("| change | new | changed | how |\n|---|---|---|---|\n")[2]
    rows = [row.strip("| ").replace("| |", "|  |").split(" | ", 3) for row in table.splitlines()]
    paths = [path for _, new, changed, _ in rows for path in re.findall(r"`([^`]+)`", new + changed)]
    assert paths
    assert [path for path in paths if not any((ROOT / folder / path).exists() for folder in ("cqa_spark", "."))] == []


def test_pages_load_nothing_from_the_network(pages: Path) -> None:
    found = {
        (page.name, address)
        for page in pages.rglob("*.html")
        for address in html.parse(str(page)).xpath(LOADED)
        if address.startswith(("http:", "https:", "//"))
    }
    assert found == set()
