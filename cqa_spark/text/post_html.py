"""Bodies of posts for readers: HTML that a page can contain, and plain text for terminals and tables.

``page_html`` keeps what the author wrote: code, quotes, lists, links, tables and formulas. Nothing in it loads or runs:
images become links, scripts and attributes go, and a library (``nh3``) has the last word on what is left.
"""

import re
from collections.abc import Iterator
from html import escape

import nh3
from markupsafe import Markup
from selectolax.lexbor import LexborNode

from cqa_spark.process.terminal import visible
from cqa_spark.text.markup import (
    BLOCKS,
    CODE,
    HEADINGS,
    QUOTE,
    TEXT,
    UNSEEN,
    is_spoiler,
    nodes,
    without_duplicate_notices,
)

INLINE = frozenset({"a", "b", "br", "code", "del", "em", "i", "kbd", "s", "strike", "strong", "sub", "sup"})
"""The inline elements that Stack Exchange allows (https://meta.stackexchange.com/questions/1777), without images."""

ELEMENTS = (INLINE | BLOCKS | {"details", "summary"}) - {"div", *HEADINGS}
"""The elements of the result. Headings of a post are none of the page: they become bold paragraphs."""

ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
_ALONE = frozenset({"br", "hr"})

FORMULA = re.compile(r"(\$\$.+?\$\$|\\\[.+?\\\]|\\\(.+?\\\)|(?<![\\$\w])\$(?=\S)[^$\n]+?(?<=\S)\$(?![\d$]))", re.DOTALL)
"""Formulas of MathJax. As in Pandoc, no blank follows the first dollar or precedes the last, and no digit follows the
last, so that amounts of money are none."""


def page_html(body: str, characters: int) -> Markup:
    """The beginning of an HTML body, safe to insert in a page.

    Args:
        body: any string; invalid HTML is read as in browsers.
        characters: largest number of characters of text; an ellipsis shows that more follow.

    Returns:
        Balanced HTML of ``ELEMENTS``, with addresses of ``SCHEMES`` only. Spoilers are folded, formulas are code.
    """
    html = "".join(_Writer(characters).pieces(without_duplicate_notices(body)))
    clean = nh3.clean(
        html, tags=set(ELEMENTS), attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="nofollow noreferrer"
    )
    return Markup(clean)


def page_text(text: str, characters: int) -> Markup:
    """The beginning of a body that is plain text, with its line breaks, safe to insert in a page."""
    return Markup('<p class="plain">{}</p>').format(visible(truncated(text, characters))) if text else Markup("")


def plain_text(body: str) -> str:
    """The text of an HTML body with its code and quotes, one line per block."""
    lines = "".join(map(_piece_of_text, _shown(without_duplicate_notices(body)))).splitlines()
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def truncated(text: str, characters: int) -> str:
    """A text, truncated with an ellipsis."""
    return text if len(text) <= characters else f"{text[:characters]}…"


def _shown(html: str) -> Iterator[tuple[LexborNode, str, bool]]:
    """The nodes of a body without the elements that browsers do not show, and without what is in these."""
    unseen = 0
    for node, tag, is_end in nodes(html):
        if tag in UNSEEN:
            unseen += -1 if is_end else 1
        elif not unseen:
            yield node, tag, is_end


def _piece_of_text(item: tuple[LexborNode, str, bool]) -> str:
    node, tag, _ = item
    if tag == TEXT:
        return node.text_content or ""
    return "\n" if tag in BLOCKS or tag == "br" else ""


def _address(address: str | None) -> str:
    """An absolute address; empty for all others, which lead nowhere outside of their site."""
    address = (address or "").strip()
    if address.startswith("//"):
        return f"https:{address}"
    return address if address.partition(":")[0].lower() in SCHEMES else ""


class _Writer:
    """Writes the nodes of a body as HTML, until the text is long enough.

    Attributes:
        _left: characters that may follow.
        _open: end tags of the open elements that were written.
        _links, _code: depth of links and of code, in which images are no links, and dollars no formulas.
    """

    def __init__(self, characters: int) -> None:
        self._left = characters
        self._open: list[str] = []
        self._links = self._code = 0

    def pieces(self, html: str) -> Iterator[str]:
        for node, tag, is_end in _shown(html):
            if tag == TEXT:
                text = node.text_content or ""
                yield self._text(text[: self._left])
                if len(text.rstrip()) > self._left:
                    yield from ("…", *reversed(self._open))
                    return
                self._left = max(self._left - len(text), 0)
            elif tag == "img":
                if not is_end:
                    yield self._image(node)
            elif tag in _ALONE:
                if not is_end:
                    yield f"<{tag}>"
            else:
                yield self._end(tag) if is_end else self._start(node, tag)

    def _text(self, text: str) -> str:
        if self._code:
            return escape(visible(text))
        parts = FORMULA.split(visible(text))  # formulas at odd positions
        return "".join(f"<code>{escape(part)}</code>" if at % 2 else escape(part) for at, part in enumerate(parts))

    def _start(self, node: LexborNode, tag: str) -> str:
        self._links += tag == "a"
        self._code += tag in (CODE, "code")
        start, end = f"<{tag}>", f"</{tag}>"
        if tag in HEADINGS:
            start, end = "<p><b>", "</b></p>"
        elif tag == QUOTE and is_spoiler(node):
            start, end = "<details><summary>Spoiler</summary>", "</details>"
        elif tag == "a":
            address = _address(node.attrs.get("href"))
            start, end = (f'<a href="{escape(address)}">', "</a>") if address else ("", "")
        elif tag == "ol" and (node.attrs.get("start") or "").isdecimal():
            start = f'<ol start="{node.attrs["start"]}">'
        elif tag not in ELEMENTS:
            start = end = ""
        self._open.append(end)
        return start

    def _end(self, tag: str) -> str:
        self._links -= tag == "a"
        self._code -= tag in (CODE, "code")
        return self._open.pop()

    def _image(self, node: LexborNode) -> str:
        text = f"[image: {escape(visible(node.attrs.get('alt') or 'without a description'))}]"
        address = _address(node.attrs.get("src"))
        return text if self._links or not address else f'<a href="{escape(address)}">{text}</a>'
