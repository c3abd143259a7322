"""The section on threads with another first answer."""

import literal_report as literal
from lxml import html

from cqa_spark.reports.queries import PostText
from cqa_spark.reports.sections.first_answers import ChangedThread, FirstAnswerChanges, table

LONG = "word " * 200
BEFORE, NOW = PostText("", "<p>The <b>tulip</b>:</p><pre><code>a &lt; b</code></pre>", True), PostText("", LONG)
ORDER = "night_answers → votes_then_length"
CHANGES = FirstAnswerChanges(30, (ChangedThread("beer", "1", "Which <glass>?", "11", "12", BEFORE, NOW, ORDER),))


def test_the_page_has_both_texts() -> None:
    page = literal.short_report(**{"first-answers": CHANGES}).page()
    shown = html.document_fromstring(page).get_element_by_id("first-answers").text_content()
    for text in ("30 threads begin with another answer; 1 shown.", "Which <glass>?", "last night, 11", "The tulip:"):
        assert text in shown
    assert "tonight, 12" in shown
    assert f"{LONG[:600]}…" in shown
    posts = html.document_fromstring(page).find_class("post")
    assert html.tostring(posts[0][1], encoding="unicode").strip() == "<pre><code>a &lt; b</code></pre>"


def test_the_terminal_shows_their_beginnings() -> None:
    [(name, cells)] = table(CHANGES, "Other first answers").rows
    assert name == "Which <glass>? (beer, 1)"
    assert [cell.text for cell in cells] == ["11: The tulip: a < b", f"12: {LONG[:60]}…", ORDER]
