"""The parts of one body of a post."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from cqa_spark.lake.schemas.text import BODIES

# Bounds how deep the elements of a body are nested, because the time of HTML parsers is quadratic in it.
#
# At most tags, a parser searches its stack of open elements (https://html.spec.whatwg.org/#has-an-element-in-scope).
# Browsers nest elements up to a fixed depth, too.

DEEPEST = 512
"""Maximum number of open elements, as in Chromium (``kMaximumHTMLParserDOMTreeDepth``)."""

# Tokens of https://html.spec.whatwg.org/#tokenization, each with its end or the end of the body. The content of scripts
# and style sheets is part of the token.
_SPACE = r"[ \t\n\f\r]"
_VALUE = rf"""{_SPACE}*+=(?:{_SPACE}*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+))?+"""
_ATTRIBUTES = rf"(?:[ \t\n\f\r/]++|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+(?:{_VALUE})?+)*+"
_TOKEN = re.compile(
    r"<!--(?:-?>|.*?--!?>|.*)"
    rf"|<(?P<unseen>script|style)(?=[ \t\n\f\r/>]){_ATTRIBUTES}(?:>.*?(?:</(?P=unseen)(?=[ \t\n\f\r/>])[^>]*+>|\Z)|\Z)"
    rf"|<(?P<slash>/?)(?P<name>[a-z][^ \t\n\f\r/>]*+){_ATTRIBUTES}(?P<end>>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)",
    re.DOTALL | re.IGNORECASE | re.ASCII,
)

_NOTHING = "<!---->"  # keeps apart what would form a tag together
_LINE_END = "<hr>"  # a block without content

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TABLE_PARTS = {
    "tbody": ("table",), "tfoot": ("table",), "thead": ("table",),
    "tr": ("table", "tbody", "tfoot", "thead"),
    "td": ("table", "tbody", "tfoot", "thead", "tr"), "th": ("table", "tbody", "tfoot", "thead", "tr"),
}  # fmt: skip
"""The possible parents of each part of a table."""
_ITEMS = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
"""The items that the start of an item closes."""
_BLOCKS = frozenset({"blockquote", "div", "dl", "ol", "p", "pre", "table", "ul", *_HEADINGS, *_ITEMS, *_TABLE_PARTS})
_CLOSED_ELSEWHERE = ("table", "td", "th")
"""Elements in which an end tag does not close an outer element."""
_NOT_IN_ITEMS = ("blockquote", "dd", "dl", "dt", "li", "ol", "pre", "table", "td", "th", "ul", *_HEADINGS)
"""Elements in which the start of an item does not close an outer item."""


def bounded(html: str) -> str:
    """Balance the tags of a body, and leave out those of blocks that are nested too deeply; their text stays.

    In the result, every block is closed, which bounds the stack of the parser, and inline elements other than links and
    images are left out, which it would open again in each of the following blocks.

    Args:
        html: any string.

    Returns:
        HTML with the same blocks, links and images. A body with fewer tags than ``DEEPEST`` is unchanged.
    """
    return html if html.count("<") < DEEPEST else _Balance().balance(html)


class _Balance:
    """The stack of open blocks, with the places of each name in it."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._places: dict[str, list[int]] = defaultdict(list)
        self._left_out: dict[str, int] = defaultdict(int)

    def balance(self, html: str) -> str:
        return _TOKEN.sub(self._replaced, html) + self._close_from(0)

    def _replaced(self, token: re.Match[str]) -> str:
        name = (token["name"] or "").lower()
        if not token["end"]:
            return _NOTHING
        if name in _BLOCKS:
            return self._end(name) if token["slash"] else self._start(name)
        if name == "br" or (name == "hr" and not token["slash"]):
            return f"{self._close_paragraph()}<hr>" if name == "hr" else "<br>"
        if token["slash"] or name not in ("a", "img"):
            return _NOTHING
        return f"{token[0]}</a>" if name == "a" else token[0]

    def _start(self, name: str) -> str:
        if name in _TABLE_PARTS and not self._places["table"]:
            return _NOTHING
        closed = self._close_paragraph()
        if name in _TABLE_PARTS:
            closed += self._close_from(self._last(*_TABLE_PARTS[name]) + 1)
        elif name in _ITEMS and (item := self._last(*_ITEMS[name])) >= self._last(*_NOT_IN_ITEMS) >= 0:
            closed += self._close_from(item)
        elif name in _HEADINGS and self._open and self._open[-1] in _HEADINGS:
            closed += self._close_from(len(self._open) - 1)
        if len(self._open) >= DEEPEST:
            self._left_out[name] += 1
            return closed + _LINE_END
        self._places[name].append(len(self._open))
        self._open.append(name)
        return f"{closed}<{name}>"

    def _end(self, name: str) -> str:
        if self._left_out[name]:
            self._left_out[name] -= 1
            return _LINE_END
        limits = ("table",) if name in _TABLE_PARTS else _CLOSED_ELSEWHERE
        if name == "li":
            limits = (*limits, "ol", "ul")
        place = self._last(*_HEADINGS) if name in _HEADINGS else self._last(name)
        if place >= 0 and (name == "table" or place > self._last(*(limit for limit in limits if limit != name))):
            return self._close_from(place)
        return _LINE_END if name == "p" else _NOTHING

    def _close_paragraph(self) -> str:
        return self._close_from(len(self._open) - 1) if self._open and self._open[-1] == "p" else ""

    def _last(self, *names: str) -> int:
        """The place of the innermost open element with one of the names; -1 if there is none."""
        return max((self._places[name][-1] for name in names if self._places[name]), default=-1)

    def _close_from(self, place: int) -> str:
        closed = self._open[place:][::-1]
        del self._open[place:]
        for name in closed:
            self._places[name].pop()
        return "".join(f"</{name}>" for name in closed)


TEXT = "-text"
WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS.value

# The block elements that Stack Exchange allows (https://meta.stackexchange.com/questions/1777), and those of tables in
# Markdown.
TABLE_BLOCKS = ("table", "tbody", "td", "tfoot", "th", "thead", "tr")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LIST_BLOCKS = ("dd", "dl", "dt", "li", "ol", "ul")
BLOCKS = frozenset(("blockquote", "div", "hr", "p", "pre", *HEADINGS, *LIST_BLOCKS, *TABLE_BLOCKS))
CODE, QUOTE, SPOILER = "pre", "blockquote", "spoiler"
UNSEEN = frozenset({"script", "style"})
ADDRESSES = {"a": "href", "img": "src"}

# Until 2013, closing a question as a duplicate inserted a quote before its body with a link to the original.
DUPLICATE_NOTICE = re.compile(
    r"\s*<blockquote>\s*<p>\s*<strong>\s*(?:possible|this question is an exact) duplicate", re.IGNORECASE
)
END_OF_NOTICE = "</blockquote>"

SPACE = re.compile(r"[ \t\n\f\r]+")  # white space in HTML, which excludes the no-break space
BLANKS = re.compile(" +")
LINE_END = re.compile(r" ?\n[ \n]*")


@dataclass(frozen=True)
class ParsedBody:
    """The parts of a body, each in order of appearance.

    Attributes:
        prose: text with inline code, one line per block, without code blocks and quotes.
        code: code blocks, verbatim, from anywhere in the body.
        quotes: quotes, one line per block; nested quotes are part of the outer one. A spoiler is no quote.
        links: distinct link targets, from anywhere in the body.
        images: distinct image sources, from anywhere in the body.
    """

    prose: str
    code: list[str]
    quotes: list[str]
    links: list[str]
    images: list[str]


def parse_body(html: str) -> ParsedBody:
    """Split a body into its parts.

    Notices of duplicates are removed with their links, because they reveal the labels.

    Args:
        html: any string; invalid HTML is parsed as in browsers, which nest elements up to a depth, too.
    """
    parts = _Parts()
    parts.read(without_duplicate_notices(html))
    return ParsedBody(
        _lines(parts.prose),
        [code for code in map("".join, parts.code) if code],
        [quote for quote in map(_lines, parts.quotes) if quote],
        list(parts.addresses["a"]),
        list(parts.addresses["img"]),
    )


def without_duplicate_notices(html: str) -> str:
    """Remove "Possible Duplicate" notices from the start of a body."""
    start = 0
    while notice := DUPLICATE_NOTICE.match(html, start):
        end = html.find(END_OF_NOTICE, notice.end())
        if end < 0:
            return ""
        start = end + len(END_OF_NOTICE)
    return html[start:]


class _Parts:
    """Collects pieces of text for the innermost open part: code within a quote is code."""

    def __init__(self) -> None:
        self.prose: list[str] = []
        self.code: list[list[str]] = []
        self.quotes: list[list[str]] = []
        # Dictionaries as ordered sets of addresses.
        self.addresses: dict[str, dict[str, None]] = {tag: {} for tag in ADDRESSES}
        self._depth = {CODE: 0, QUOTE: 0}
        self._unseen = 0

    def read(self, html: str) -> None:
        """Parse HTML as the content of an element, and collect its nodes in document order.

        The parser follows the HTML standard: any string has a tree. The walk keeps its own stack, because nesting may
        be deeper than Python's.
        """
        node: LexborNode | None = LexborHTMLParser(bounded(html), is_fragment=True, options=WITHOUT_EVENTS).root
        open_elements: list[tuple[LexborNode, str]] = []
        while True:
            while node is not None:
                tag = _tag(node)
                if tag == TEXT:
                    self._add(node.text_content or "")
                elif node.is_element_node:
                    self._enter(tag, node)
                    child = node.first_child
                    if child is not None:
                        open_elements.append((node, tag))
                        node = child
                        continue
                    self._leave(tag)
                node = node.next
            if not open_elements:
                return
            parent, tag = open_elements.pop()
            self._leave(tag)
            node = parent.next

    def _enter(self, tag: str, node: LexborNode) -> None:
        if tag in ADDRESSES:
            address = SPACE.sub(" ", node.attrs.get(ADDRESSES[tag]) or "").strip(" ")
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

    def _leave(self, tag: str) -> None:
        if tag in self._depth:
            self._depth[tag] -= 1
        elif tag in UNSEEN:
            self._unseen -= 1
        if tag in BLOCKS:
            self._end_line()

    def _add(self, text: str) -> None:
        if not self._unseen:
            self._open_part().append(text if self._depth[CODE] else SPACE.sub(" ", text))

    def _open_part(self) -> list[str]:
        if self._depth[CODE]:
            return self.code[-1]
        return self.quotes[-1] if self._depth[QUOTE] else self.prose

    def _end_line(self) -> None:
        if not self._depth[CODE]:
            self._open_part().append("\n")


def _tag(node: LexborNode) -> str:
    """The tag of a node; a spoiler, hidden until a click, is the author's own text and not a quote."""
    tag = node.tag or ""
    return "div" if tag == QUOTE and SPOILER in (node.attrs.get("class") or "").split() else tag


def _lines(pieces: list[str]) -> str:
    return LINE_END.sub("\n", BLANKS.sub(" ", "".join(pieces))).strip(" \n")


# Parses the HTML bodies of posts in Arrow batches, once per distinct body.

LISTS = ("code", "quotes", "links", "images")


def distinct_bodies(posts: DataFrame) -> DataFrame:
    """The distinct HTML bodies of posts: ``body_id`` and ``body``.

    Args:
        posts: the table ``posts``.
    """
    html = posts.where(is_html()).select(_body_id().alias("body_id"), "body")
    return html.dropDuplicates(["body_id"])


def body_parts(bodies: DataFrame) -> DataFrame:
    """Split every body into its parts.

    Args:
        bodies: ``body_id`` and ``body`` (HTML), strings.

    Returns:
        The table ``bodies``; for empty or null bodies, parts are empty, never null.
    """
    return BODIES.conform(bodies.select("body_id", "body").mapInArrow(parse_batches, BODIES.schema))


def with_prose(posts: DataFrame, parts: DataFrame) -> DataFrame:
    """Replace the HTML bodies of posts by their prose.

    Args:
        posts: the table ``posts``.
        parts: the table ``bodies``.
    """
    prose = parts.select("body_id", "prose")
    joined = posts.withColumn("body_id", F.when(is_html(), _body_id())).join(prose, "body_id", "left")
    return joined.select(*[F.coalesce("prose", "body").alias(n) if n == "body" else n for n in posts.columns])


def is_html() -> Column:
    """Whether a row of ``posts`` has an HTML body: true for posts of Stack Exchange, which have a numeric type."""
    return F.col("post_type_id").isNotNull() & F.col("body").isNotNull()


def _body_id() -> Column:
    return F.sha2("body", 256)


def parse_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Split the bodies of batches into their parts.

    Args:
        batches: ``body_id`` and ``body``.

    Yields:
        For each batch, one with the columns of ``BODIES``.
    """
    schema = to_arrow_schema(BODIES.schema)
    for batch in batches:
        parsed = [parse_body(body or "") for body in batch.column("body").to_pylist()]
        columns = [[getattr(one, name) for one in parsed] for name in ("prose", *LISTS)]
        parts = [pa.array(column, field.type) for column, field in zip(columns, list(schema)[1:], strict=True)]
        yield pa.RecordBatch.from_arrays([batch.column("body_id"), *parts], schema=schema)
