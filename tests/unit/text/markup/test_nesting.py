"""Deeply nested bodies: their text stays, and shallow ones of many tags are read as those of few."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cqa_spark.text.markup import DEEPEST, ParsedBody, bounded, parse_body

MANY_TAGS = "<i></i>" * (DEEPEST // 2)
"""Tags without any content: a body that ends with them is long enough to be balanced."""

BLOCKS = ("blockquote", "div", "dl", "h1", "h6", "ol", "pre", "ul")
NAMES = ("p", "li", "dd", "dt", "table", "tbody", "tr", "td", "b", *BLOCKS)
PIECES = (
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


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
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
