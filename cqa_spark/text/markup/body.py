"""The parts of one body of a post."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cqa_spark.text.markup.tree import Attribute, walk

# The blocks among the tags that Stack Exchange allows (https://meta.stackexchange.com/questions/1777), and those of
# tables, which its Markdown gives.
TABLE_BLOCKS = ("table", "tbody", "td", "tfoot", "th", "thead", "tr")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LIST_BLOCKS = ("dd", "dl", "dt", "li", "ol", "ul")
BLOCKS = frozenset(("blockquote", "div", "hr", "p", "pre", *HEADINGS, *LIST_BLOCKS, *TABLE_BLOCKS))
CODE, QUOTE = "pre", "blockquote"
UNSEEN = frozenset({"script", "style"})
ADDRESSES = {"a": "href", "img": "src"}

# Until 2013, closing a question as a duplicate put a quote before its body that names the original.
DUPLICATE_NOTICE = re.compile(
    r"\s*<blockquote>\s*<p>\s*<strong>\s*(?:possible|this question is an exact) duplicate", re.IGNORECASE
)
END_OF_NOTICE = "</blockquote>"

SPACE = re.compile(r"[ \t\n\f\r]+")  # what HTML calls white space; a no-break space is none
BLANKS = re.compile(" +")
LINE_END = re.compile(r" ?\n[ \n]*")


@dataclass(frozen=True)
class ParsedBody:
    """What a body holds, each part in the order of appearance.

    Attributes:
        prose: text with its inline code, a line per block; without code blocks and quotes.
        code: code blocks, verbatim, from anywhere in the body.
        quotes: quotes, a line per block; a quote within a quote is part of the outer one.
        links: link targets, each once, from anywhere in the body.
        images: image sources, each once, from anywhere in the body.
    """

    prose: str
    code: list[str]
    quotes: list[str]
    links: list[str]
    images: list[str]


def parse_body(html: str) -> ParsedBody:
    """Take a body apart.

    Notices of duplicates are left out with their links: they tell what a question duplicates.

    Args:
        html: any string; what is no valid HTML is read as browsers read it.
    """
    parts = _Parts()
    walk(without_duplicate_notices(html), parts)
    return ParsedBody(
        _lines(parts.prose),
        [code for code in map("".join, parts.code) if code],
        [quote for quote in map(_lines, parts.quotes) if quote],
        list(parts.addresses["a"]),
        list(parts.addresses["img"]),
    )


def without_duplicate_notices(html: str) -> str:
    """A body without the "Possible Duplicate" notices that it starts with."""
    while notice := DUPLICATE_NOTICE.match(html):
        end = html.find(END_OF_NOTICE, notice.end())
        if end < 0:
            return ""
        html = html[end + len(END_OF_NOTICE) :]
    return html


class _Parts:
    """Collects pieces of text under the part that is open: code within a quote is code."""

    def __init__(self) -> None:
        self.prose: list[str] = []
        self.code: list[list[str]] = []
        self.quotes: list[list[str]] = []
        # Mappings, because they keep the order and hold an address once.
        self.addresses: dict[str, dict[str, None]] = {tag: {} for tag in ADDRESSES}
        self._depth = {CODE: 0, QUOTE: 0}
        self._unseen = 0

    def enter(self, tag: str, attribute: Attribute) -> None:
        if tag in ADDRESSES:
            address = SPACE.sub(" ", attribute(ADDRESSES[tag]) or "").strip(" ")
            if address:
                self.addresses[tag][address] = None
        elif tag == "br":
            self._open_part().append("\n")
        elif tag in BLOCKS:
            self._end_line()
        if tag in self._depth:
            if not self._depth[tag]:
                (self.code if tag == CODE else self.quotes).append([])
            self._depth[tag] += 1
        elif tag in UNSEEN:
            self._unseen += 1

    def leave(self, tag: str) -> None:
        if tag in self._depth:
            self._depth[tag] -= 1
        elif tag in UNSEEN:
            self._unseen -= 1
        if tag in BLOCKS:
            self._end_line()

    def text(self, text: str) -> None:
        if not self._unseen:
            self._open_part().append(text if self._depth[CODE] else SPACE.sub(" ", text))

    def _open_part(self) -> list[str]:
        if self._depth[CODE]:
            return self.code[-1]
        return self.quotes[-1] if self._depth[QUOTE] else self.prose

    def _end_line(self) -> None:
        if not self._depth[CODE]:
            self._open_part().append("\n")


def _lines(pieces: list[str]) -> str:
    return LINE_END.sub("\n", BLANKS.sub(" ", "".join(pieces))).strip(" \n")
