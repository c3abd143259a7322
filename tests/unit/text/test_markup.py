import re
from html import escape

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cqa_spark.text.markup import ParsedBody, parse_batches, parse_body
from cqa_spark.text.nesting import DEEPEST, bounded


def test_batches_keep_their_rows_and_null_is_empty() -> None:
    batches = [
        pa.RecordBatch.from_pydict({"body_id": ["1", "2"], "body": ["<p>a</p><pre>b</pre>", None]}),
        pa.RecordBatch.from_pydict({"body_id": ["3"], "body": ['<blockquote>q</blockquote><a href="l"><img src="i">']}),
        pa.RecordBatch.from_pydict({"body_id": pa.array([], pa.string()), "body": pa.array([], pa.string())}),
    ]
    assert [batch.to_pylist() for batch in parse_batches(batches)] == [
        [
            {"body_id": "1", "prose": "a", "code": ["b"], "quotes": [], "links": [], "images": []},
            {"body_id": "2", "prose": "", "code": [], "quotes": [], "links": [], "images": []},
        ],
        [{"body_id": "3", "prose": "", "code": [], "quotes": ["q"], "links": ["l"], "images": ["i"]}],
        [],
    ]


ADDRESS = "https://stackoverflow.com/q/1"


def body(
    text: str = "",
    *,
    code: tuple[str, ...] = (),
    quotes: tuple[str, ...] = (),
    links: tuple[str, ...] = (),
    images: tuple[str, ...] = (),
) -> ParsedBody:
    return ParsedBody(text, [*code], [*quotes], [*links], [*images])


def test_a_post_is_taken_apart() -> None:
    html = (
        "<p>How do I use <code>zip</code> &amp; co?</p>\n\n"
        "<blockquote>\n  <p>zip() in conjunction with the <code>*</code> operator</p>\n</blockquote>\n\n"
        '<p>as <a href="https://docs.python.org/3/" rel="nofollow noreferrer">the manual</a> says:</p>\n\n'
        "<pre><code>for a, b in zip(x, y):\n    print(a &lt; b)\n</code></pre>\n\n"
        '<p><a href="https://i.stack.imgur.com/a.png"><img src="https://i.stack.imgur.com/b.png" alt="plot"></a></p>\n'
    )
    assert parse_body(html) == body(
        "How do I use zip & co?\nas the manual says:",
        code=("for a, b in zip(x, y):\n    print(a < b)\n",),
        quotes=("zip() in conjunction with the * operator",),
        links=("https://docs.python.org/3/", "https://i.stack.imgur.com/a.png"),
        images=("https://i.stack.imgur.com/b.png",),
    )


@pytest.mark.parametrize("html", ["", "  \n", "<p></p>", "<!-- -->", "<pre></pre><blockquote> </blockquote>"])
def test_nothing_gives_nothing(html: str) -> None:
    assert parse_body(html) == body()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain", "plain"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<h1>Title</h1>text<hr>more", "Title\ntext\nmore"),
        ("<ul>\n<li>a</li>\n<li><p>b</p></li>\n</ul>", "a\nb"),
        ("<dl><dt>term</dt><dd>meaning</dd></dl>", "term\nmeaning"),
        ("<table><thead><tr><th>x</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>", "x\n1\n2"),
        ("<p>a\n  line \t broken</p>", "a line broken"),
        ("<b>bo</b>ld <em>it</em><i>alic</i> <s>x</s> H<sub>2</sub>O m<sup>2</sup> <kbd>Ctrl</kbd>",
         "bold italic x H2O m2 Ctrl"),
        ("1&nbsp;km &lt;b&gt; &amp;amp; &#8217;", "1\u00a0km <b> &amp; \u2019"),
        ("a < b and c > d", "a < b and c > d"),
        ("<script>alert()</script>seen<style>p {}</style><!-- hidden -->", "seen"),
        ("<p>one</p>\n<!-- begin snippet -->\n<p>two</p>", "one\ntwo"),
    ],
)  # fmt: skip
def test_blocks_end_lines_and_other_tags_vanish(html: str, text: str) -> None:
    assert parse_body(html) == body(text)


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<pre><code>a  b\n\n\tc &lt; &quot;d&quot;\n</code></pre>", 'a  b\n\n\tc < "d"\n'),
        ('<pre class="lang-py prettyprint-override"><code>x</code></pre>', "x"),
        ("<pre>\nno code tag, first line break goes\n</pre>", "no code tag, first line break goes\n"),
        ("<pre><code>a<br>b <b>c</b><p>d</p></code></pre>", "a\nb cd"),
        ("<pre>a<pre>b</pre>c</pre>", "abc"),
        ("<pre>a<blockquote>b</blockquote>c</pre>", "abc"),
    ],
)
def test_code_blocks_are_verbatim(html: str, code: str) -> None:
    assert parse_body(f"before{html}after") == body("before\nafter", code=(code,))


def test_quotes_stand_apart_and_nested_ones_within_the_outer() -> None:
    html = "a<blockquote><p>one</p><blockquote>two</blockquote>three</blockquote>b<blockquote>four<br>five</blockquote>"
    assert parse_body(html) == body("a\nb", quotes=("one\ntwo\nthree", "four\nfive"))


def test_code_within_a_quote_is_code() -> None:
    html = "<blockquote>see<pre><code>x = 1</code></pre>there</blockquote><blockquote><pre>y</pre></blockquote>"
    assert parse_body(html) == body(code=("x = 1", "y"), quotes=("see\nthere",))


def test_links_and_images_come_once_in_order_wherever_they_stand() -> None:
    html = (
        '<a href="b">1</a><blockquote><a href="a">2</a><img src="i"></blockquote><pre><a href="c">3</a></pre>'
        '<a href="b">4</a><img src="h"><img src="i">'
    )
    found = parse_body(html)
    assert (found.links, found.images) == (["b", "a", "c"], ["i", "h"])


def test_addresses_stand_as_written_without_space_around() -> None:
    html = (
        f'<a href=" {ADDRESS}\n">1</a><a href="/q/2">2</a><a href="?a=1&amp;b=2">3</a><a>4</a><a href>5</a><a href="">6'
    )
    assert parse_body(html).links == [ADDRESS, "/q/2", "?a=1&b=2"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one<p>two", body("one\ntwo")),
        ("</p>x</blockquote>y", body("xy")),
        ("<b><i>x</b>y</i>", body("xy")),
        ("<table>stray<tr><td>1<td>2</table>", body("stray\n1\n2")),
        ("<td>cell</td>", body("cell")),
        ('<a href="x', body()),
        ("<a href=x>y", body("y", links=("x",))),
        ("<blockquote>a<pre>b", body(code=("b",), quotes=("a",))),
        ("<frameset>hello", body("hello")),
        ("<html><body onload=x><p>t", body("t")),
        ("<?pi x?><![CDATA[x]]>y", body("y")),
        ("a\0b", body("ab")),
        ("\ud800x", body("x")),
        ("<blockquote>" * 3000 + "x", body(quotes=("x",))),
        ("<b>" * 3000 + "x", body("x")),
    ],
)
def test_broken_html_is_read_as_browsers_do(html: str, expected: ParsedBody) -> None:
    assert parse_body(html) == expected


TAGS = [
    "p", "pre", "code", "blockquote", "a", "table", "td", "template", "svg", "select", "script", "textarea", "title",
]  # fmt: skip
SCRAPS = [
    '<a href="', "<img src=", "<br", "'>", '">', "/>", "<!--", "-->", "<![CDATA[", "<", "&", "&#", ";", "\0", "\n", " ",
]  # fmt: skip
PIECES = st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + SCRAPS)


@given(st.one_of(st.text(), st.text(st.characters()), st.lists(st.one_of(PIECES, st.text(max_size=3))).map("".join)))
def test_no_string_raises_and_parts_are_tidy(html: str) -> None:
    found = parse_body(html)
    for prose in (found.prose, *found.quotes):
        assert [line.strip(" ") for line in prose.split("\n") if line] == (prose.split("\n") if prose else [])
    assert all([*found.code, *found.quotes, *found.links, *found.images])
    assert len(set(found.links)) == len(found.links)
    assert len(set(found.images)) == len(found.images)


@given(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1))
def test_code_comes_back_as_it_was(code: str) -> None:
    assert parse_body(f"<pre><code>{escape(code)}</code></pre>").code == [code]


@given(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])))
def test_prose_comes_back_but_for_white_space(text: str) -> None:
    def words(prose: str) -> list[str]:
        return prose.replace("\t", " ").replace("\n", " ").replace("\f", " ").split(" ")

    assert [word for word in words(parse_body(escape(text)).prose) if word] == [word for word in words(text) if word]


def test_notices_of_duplicates_go_with_their_links() -> None:
    notice = (
        '<blockquote>\n  <p><strong>Possible Duplicate:</strong><br>\n  <a href="/questions/640/x">Title</a>  </p>\n'
        "</blockquote>\n\n\n\n"
    )
    body = '<p>Why?</p><blockquote><p>quoted: Possible Duplicate</p></blockquote><a href="/own">y</a>'
    found = parse_body(notice + notice + body)
    assert (found.prose, found.quotes, found.links) == ("Why?\ny", ["quoted: Possible Duplicate"], ["/own"])
    assert parse_body("<blockquote><p><strong>Possible duplicates</strong> never closed").prose == ""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('a<blockquote class="spoiler"><p>b</p></blockquote>', body("a\nb")),
        ('<blockquote class="spoiler data-x">b</blockquote>', body("b")),
        ('<blockquote class="nospoiler">b</blockquote>', body("", quotes=("b",))),
        ("<blockquote spoiler>b</blockquote>", body("", quotes=("b",))),
        ('<blockquote class="spoiler">a<blockquote>b</blockquote>c</blockquote>', body("a\nc", quotes=("b",))),
        ('<blockquote>a<blockquote class="spoiler">b</blockquote>c</blockquote>', body("", quotes=("a\nb\nc",))),
        ('<blockquote class="spoiler">a<pre>b</pre></blockquote>', body("a", code=("b",))),
    ],
)
def test_a_spoiler_is_no_quote(html: str, expected: ParsedBody) -> None:
    assert parse_body(html) == expected


# Deeply nested bodies: their text stays, and shallow ones of many tags are read as those of few.

MANY_TAGS = "<i></i>" * (DEEPEST // 2)
"""Tags without any content: a body that ends with them is long enough to be balanced."""

BLOCKS = ("blockquote", "div", "dl", "h1", "h6", "ol", "pre", "ul")
NAMES = ("p", "li", "dd", "dt", "table", "tbody", "tr", "td", "b", *BLOCKS)
NESTED_PIECES = (
    *(f"<{slash}{name}>" for name in NAMES for slash in ("", "/")),
    '<a href="x">', "</a>", '<img src="y>">', "<br>", "<hr>", "<!--", "-->", "<!-->", "<script>", "</script>", "text",
    " ", "<", "</", ">", "=", '"', "'", "<p class=", "<![CDATA[", "]]>", "<DIV\n/>", "<svg>", "</p ",
)  # fmt: skip

well_formed = st.recursive(
    st.sampled_from(
        ("text", " two words\n", '<a href="b>">l</a>', "<IMG src=i />", "<br>", "<hr>", "<p>open", "&lt;p&gt;", "a < b",
         "<!-- <p> -->", "<!-->", "<script>'<p>'</script>", "</p>", "<svg></svg>", "<li class='>'>item")
    ),
    lambda inner: st.one_of(
        st.builds("".join, st.lists(inner, max_size=4)),
        st.builds("<{0}>{1}</{0}>".format, st.sampled_from((*BLOCKS, "b", "code")), inner),
        st.builds("<table><tr><td>{0}<td>{1}</table>".format, inner, inner),
        st.builds("<ul><li>{0}<li>{1}</ul>".format, inner, inner),
        st.builds("<dl><dt>{0}<dd>{1}</dl>".format, inner, inner),
    ),
)  # fmt: skip


@given(well_formed)
@example("<ul><li>a<p>b<li>c</ul>d")
@example("<h1>a<h2>b</h1>c")
@example("<table><tr><td>a<td>b<tr><th>c</table>d")
def test_a_body_with_many_tags_has_the_parts_of_its_elements(html: str) -> None:
    assert parse_body(html + MANY_TAGS) == parse_body(html)


@given(st.lists(st.sampled_from(NESTED_PIECES), max_size=30).map("".join))
def test_in_a_body_with_many_tags_all_blocks_are_closed(pieces: str) -> None:
    html = bounded(MANY_TAGS + pieces)
    open_blocks: list[str] = []
    for slash, name in re.findall(r"<(/?)(\w+)>", re.sub(r"<(?:a|img)\b[^>]*>|</a>|<[bh]r>", "", html)):
        if slash:
            assert open_blocks.pop() == name
        else:
            open_blocks.append(name)
    assert open_blocks == []


@pytest.mark.parametrize("name", ["blockquote", "div", "ul", "ol><li", "table><tr><td"])
def test_the_depth_of_blocks_is_bounded(name: str) -> None:
    html = bounded(f"<{name}>" * 2 * DEEPEST)
    depth = deepest = 0
    for tag in re.findall(r"</?\w+>", html.replace("<hr>", "")):
        depth += -1 if tag.startswith("</") else 1
        deepest = max(depth, deepest)
    assert (deepest, depth) == (DEEPEST, 0)


def test_the_text_of_blocks_that_are_nested_too_deeply_stays() -> None:
    html = "<div>a" * 2 * DEEPEST + "b</div>" * 2 * DEEPEST + "c"
    assert parse_body(html) == ParsedBody(
        "a\n" * (2 * DEEPEST - 1) + "ab\n" + "b\n" * (2 * DEEPEST - 1) + "c", [], [], [], []
    )


def test_what_is_left_out_of_a_body_joins_nothing() -> None:
    assert parse_body(MANY_TAGS + "<<b>p>1<</i>/p>2").prose == "<p>1</p>2"
