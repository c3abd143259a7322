"""HTML of posts for pages: what stays, what hostile markup becomes, and where a text ends."""

import pytest
from html_checks import assert_inert
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from cqa_spark.text.post_html import page_html, page_text, plain_text, truncated


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<pre><code>a &lt; b\n  $c$</code></pre>", "<pre><code>a &lt; b\n  $c$</code></pre>"),
        ("<ol start='3'><li>c</ol>", '<ol start="3"><li>c</li></ol>'),
        ("<blockquote><p>q</p></blockquote>", "<blockquote><p>q</p></blockquote>"),
        (
            '<blockquote class="spoiler"><p>He dies.</p></blockquote>',
            "<details><summary>Spoiler</summary><p>He dies.</p></details>",
        ),
        ("<h2>Yeast</h2>", "<p><b>Yeast</b></p>"),
        ("<p>$a_1 < b$, $$c$$</p>", "<p><code>$a_1 &lt; b$</code>, <code>$$c$$</code></p>"),
        (r"<p>\(d\) and \[e\]</p>", r"<p><code>\(d\)</code> and <code>\[e\]</code></p>"),
        ("<p>$5 or $6, US$7 and 8$</p>", "<p>$5 or $6, US$7 and 8$</p>"),
        (
            '<img src="//i.example/a.png" alt="A keg">',
            '<a href="https://i.example/a.png" rel="nofollow noreferrer">[image: A keg]</a>',
        ),
        (
            '<a href="https://b.example"><img src="a.png"></a>',
            '<a href="https://b.example" rel="nofollow noreferrer">[image: without a description]</a>',
        ),
        ('<a href="/questions/1">one</a>', "one"),
        ("<table><tr><td>1<td>2</table>", "<table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"),
        ("<b>\x1b[31m\u202e</b>", "<b>␛[31m\\u202e</b>"),
        ("", ""),
    ],
)
def test_a_page_shows_posts_as_they_were_written(body: str, shown: str) -> None:
    assert page_html(body, 1000) == shown


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<script>alert(1)</script><style>p{}</style>", ""),
        ('<a href="javascript:alert(1)" onclick="alert(1)">k</a>', "k"),
        ('<p style="position:fixed" id="find" class="x">k</p>', "<p>k</p>"),
        ("<iframe src=//x></iframe><form><input name=y>k</form>", "k"),
        ("&lt;script&gt;", "&lt;script&gt;"),
    ],
)
def test_what_runs_or_loads_goes(body: str, shown: str) -> None:
    assert page_html(body, 1000) == shown


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<svg>", "<math><mi>", "<style>", "</style>", "<!--", "-->", "<noscript>", "<template>",
             "<pre>", "x", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<a href='javascript:x'>",
             "</a>", "<table>", "<td>", "<blockquote class=spoiler>", "\"'>", "$<b>$",
              "<title>", "<textarea>", "<plaintext>", "<base href=//x>"]
        ),
        max_size=12,
    ),
    st.integers(0, 20),
)  # fmt: skip
def test_no_markup_runs_or_loads(pieces: list[str], characters: int) -> None:
    shown = page_html("".join(pieces), characters)
    assert_inert(html.document_fromstring(f"<html><body><p>k</p>{shown}</body></html>"))
    assert page_html(shown, 10_000) == shown


@pytest.mark.parametrize(
    ("characters", "shown"),
    [
        (4, "<ul><li>one <b>…</b></li></ul>"),
        (6, "<ul><li>one <b>tw…</b></li></ul>"),
        (7, "<ul><li>one <b>two</b></li></ul>"),
    ],
)
def test_a_long_text_ends_with_an_ellipsis_and_all_end_tags(characters: int, shown: str) -> None:
    assert page_html("<ul><li>one <b>two</b></li></ul>\n", characters).rstrip() == shown


def test_a_plain_text_keeps_its_lines_and_shows_its_tags() -> None:
    assert page_text("<b>\n\x00", 10) == '<p class="plain">&lt;b&gt;\n␀</p>'
    assert page_text("abc", 2) == '<p class="plain">ab…</p>'
    assert page_text("", 2) == ""


def test_the_text_of_a_body_has_its_code_and_quotes() -> None:
    code, quote = "<pre><code>a &lt; b\n  c</code></pre>", "<blockquote>said</blockquote>"
    body = f"<p>Use  <i>this</i>:</p>{code}{quote}x<br>y<script>z</script>"
    assert plain_text(body) == "Use this:\na < b\nc\nsaid\nx\ny"
    assert truncated("abc", 3) == "abc"
    assert truncated("abcd", 3) == "abc…"
