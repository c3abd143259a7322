"""The page of a lake in a browser: search, threads, links, hostile texts, dark mode, a phone."""

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from browser import CHROMIUM, Browser, browser

from cqa_spark.lake.run_log import RecordedScore, RunRecord
from cqa_spark.process.terminal import visible
from cqa_spark.reports.kinds import LAKE
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.sections.lake_page import LakePage, Publication, SearchableSite
from cqa_spark.steps.lake_page import shard_script
from cqa_spark.text.post_html import page_text

pytestmark = [pytest.mark.more, pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")]

HOSTILE = "</script><img src=x onerror=alert(1)> \u2028 \u202egnol <b>&amp; Zoë"
SITE, OTHER = "beer & wine/ü#?.example", "tea.example"
SHARDS = 3
ADDRESS = "https://beer.example/posts/comments/1000000000000000000000000000000000000000000000000000000000000000"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of a lake with two sites, in a folder with an odd name."""
    root = tmp_path_factory.mktemp("a lake #1 ü")
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    record = RunRecord(
        "r1", "running", "nightly", "h", "c", "v", recorded_at=moment, scores=(RecordedScore("s", "P@1", 0.5),)
    )
    candidates = [
        {"id": "2", "score": 1.5, "title": "", "html": page_text(HOSTILE, 1000),
         "reason": "3 votes more than the next answer", "author": HOSTILE * 3, "address": ADDRESS,
         "licence": "CC BY-SA 4.0"},
    ]  # fmt: skip
    thread = {
        "title": HOSTILE,
        "html": page_text(HOSTILE * 20, 10_000),
        "order": HOSTILE,
        "number": 21,
        "candidates": candidates,
    }
    unnamed = {"title": "", "html": "", "order": "s", "number": 0, "candidates": [], "address": ADDRESS}
    entries = {
        "#1": thread, "#3": unnamed, "constructor": {"number": 1, "threads": [["1", "constructor"]]},
        **{word: {"number": 300, "threads": [["1", HOSTILE]]} for word in ("zoë", "img", "src")},
        "con*": {"number": 2, "threads": [["1", "constructor"], ["5", "Con Conte"]]},
        **{pair: {"number": 1, "threads": [["4", "東京の酒"]]} for pair in ("東京", "京の", "の酒")},
    }  # fmt: skip
    for number, name in enumerate((SITE, OTHER)):
        newest = root / "runs" / "r1.1" / "threads" / str(number) / str(SHARDS) / "newest.js"
        newest.parent.mkdir(parents=True)
        newest.write_bytes(shard_script({"": {"threads": [["1", HOSTILE]] if name == SITE else []}}))
        for shard in range(SHARDS):
            path = root / "runs" / "r1.1" / "threads" / str(number) / str(SHARDS) / f"{shard}.js"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(
                shard_script(
                    {
                        key: entries[key]
                        for key in entries
                        if name == SITE and zlib.crc32(key.encode()) % SHARDS == shard
                    }
                )
            )
    (root / "runs" / "r1.1" / "report.html").write_text("<!DOCTYPE html><title>the report</title>")
    sites = [SearchableSite(name, f"runs/r1.1/threads/{number}/{SHARDS}") for number, name in enumerate((SITE, OTHER))]
    values = LakePage(
        name=HOSTILE, publications=[Publication(record, "runs/r1.1/report.html")], sites=sites, sentences=[HOSTILE]
    )
    (root / "index.html").write_bytes(page_bytes(LAKE.collect(values).page()))
    return (root / "index.html").as_uri()


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def at(page: str, **state: str) -> str:
    return f"{page}#{urlencode({'site': SITE, **state})}"


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (390, True)])
def test_a_search_leads_to_a_thread_and_hostile_texts_stay_texts(
    tab: Browser, page: str, width: int, dark: bool
) -> None:
    tab.open(page, width=width, dark=dark)
    assert tab.shown("#answer a").startswith("</script><img")  # the newest thread
    tab.value("words.value = 'Zoë IMG'; form.requestSubmit()")
    tab.value("show()")
    assert tab.shown("#answer a").startswith("</script><img")
    assert tab.value("note.textContent") == "1 thread, of the newest 1 of 300 with the rarest word"
    tab.value("document.querySelector('#answer a').click()")
    tab.value("show()")
    assert tab.shown("#answer .reasons") == "3 votes more than the next answer"
    assert visible(HOSTILE) in tab.value("document.querySelector('.candidates .post').textContent")
    assert tab.value("note.textContent").endswith(": the first 1 of 21")
    signature = (
        "[...document.querySelectorAll('.candidates .tag > :not(b)')].map((part) => [part.textContent, part.href])"
    )
    assert tab.value(signature) == [
        [ADDRESS.removeprefix("https://"), ADDRESS], [HOSTILE * 3, None], ["CC BY-SA 4.0", None], ["score 1.500", None],
    ]  # fmt: skip
    assert tab.value("document.querySelectorAll('main img, main b:not(.tag b)').length") == 0
    assert tab.value("document.documentElement.scrollWidth") <= width
    dark_paper = tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    assert (dark_paper, tab.errors()) == (dark, [])


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"words": "1"}, "1 thread"),
        ({"words": "constructor"}, "1 thread"),
        ({"words": "toString __proto__"}, "No title has: tostring, proto"),
        ({"words": "zoë", "site": OTHER}, "No title has: zoë"),
        ({"thread": "2"}, f"{SITE} has no thread 2"),
        (
            {"thread": "3"},
            "Thread 3, in the order of s. The names of the authors are not stored; the linked posts show them.",
        ),
        ({"thread": "1", "site": "wine.example"}, "no site wine.example"),
        ({"words": "cons"}, "1 thread"),
        ({"words": "cont"}, "1 thread"),
        ({"words": "京の"}, "1 thread"),
        ({"words": "京都"}, "No title has: 京都"),
        ({"words": ""}, "The newest threads. Choose one to see its ranking, or search."),
        ({"words": "", "site": OTHER}, "Search, and choose a thread to see its ranking."),
    ],
)
def test_an_address_tells_what_is_searched(tab: Browser, page: str, state: dict[str, Any], said: str) -> None:
    tab.open(at(page, **state))
    tab.value("show()")
    assert tab.value("note.textContent") == said
    assert tab.errors() == []


def test_links_lead_to_files(tab: Browser, page: str) -> None:
    tab.open(page)
    addresses = tab.value("[...document.querySelectorAll('a:not([href^=\"#\"])')].map((link) => link.href)")
    assert len(addresses) == 2
    for address in addresses:
        tab.open(address)
        assert tab.value("document.title") == "the report"
