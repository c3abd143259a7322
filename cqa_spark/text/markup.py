"""The parts of the HTML bodies of posts: prose, code, quotes, links and images.

``parse_body`` splits one body; ``body_parts`` parses the distinct bodies of a site in Arrow batches.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from cqa_spark.lake.schemas.text import BODIES
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.text.nesting import bounded

TEXT = "-text"
WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS.value

# The block elements that Stack Exchange allows (https://meta.stackexchange.com/questions/1777), and Markdown's tables.
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
        html: any string; invalid HTML is parsed as in browsers.
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


def nodes(html: str) -> Iterator[tuple[LexborNode, str, bool]]:
    """Parse HTML as the content of an element, and walk its tree in document order.

    The parser follows the HTML standard: any string has a tree. The walk keeps its own stack, because nesting may be
    deeper than Python's.

    Yields:
        Texts and elements with their tags, and false; an element comes again after its content, with true.
    """
    node: LexborNode | None = LexborHTMLParser(bounded(html), is_fragment=True, options=WITHOUT_EVENTS).root
    open_elements: list[tuple[LexborNode, str]] = []
    while True:
        while node is not None:
            tag = node.tag or ""
            if tag == TEXT:
                yield node, tag, False
            elif node.is_element_node:
                yield node, tag, False
                child = node.first_child
                if child is not None:
                    open_elements.append((node, tag))
                    node = child
                    continue
                yield node, tag, True
            node = node.next
        if not open_elements:
            return
        parent, tag = open_elements.pop()
        yield parent, tag, True
        node = parent.next


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
        """Collect the nodes of a body."""
        for node, tag, is_end in nodes(html):
            if tag == TEXT:
                self._add(node.text_content or "")
                continue
            # A spoiler, hidden until a click, is the author's own text and not a quote.
            part = "div" if tag == QUOTE and is_spoiler(node) else tag
            if is_end:
                self._leave(part)
            else:
                self._enter(part, node)

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


def is_spoiler(quote: LexborNode) -> bool:
    """Whether an element ``blockquote`` is a spoiler."""
    return SPOILER in (quote.attrs.get("class") or "").split()


def _lines(pieces: list[str]) -> str:
    return LINE_END.sub("\n", BLANKS.sub(" ", "".join(pieces))).strip(" \n")


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
        columns = [batch.column("body_id")]
        for name in ("prose", "code", "quotes", "links", "images"):
            columns.append(pa.array([getattr(body, name) for body in parsed], schema.field(name).type))
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def with_prose(posts: DataFrame, parts: DataFrame) -> DataFrame:
    """Replace the HTML bodies of posts by their prose.

    Args:
        posts: the table ``posts``.
        parts: the table ``bodies``.
    """
    prose = parts.select("body_id", "prose")
    joined = posts.withColumn("body_id", F.when(is_html(), _body_id())).join(prose, "body_id", "left")
    return joined.withColumn("body", F.coalesce("prose", "body")).select(*posts.columns)


def is_html() -> Column:
    """Whether a row of ``posts`` has an HTML body: true for posts of Stack Exchange, which have a numeric type."""
    return F.col("post_type_id").isNotNull() & F.col("body").isNotNull()


def _body_id() -> Column:
    return F.sha2("body", 256)
