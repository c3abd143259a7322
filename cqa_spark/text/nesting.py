"""Bounds how deep the elements of a body are nested, because the time of HTML parsers is quadratic in the depth.

At most tags, a parser searches its stack of open elements (https://html.spec.whatwg.org/#has-an-element-in-scope).
Browsers nest elements up to a fixed depth, too.
"""

import re
from collections import defaultdict

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
    """Balance the tags of a body, and leave out the tags of blocks that are nested too deeply; their text stays.

    In the result, every block is closed, which bounds the stack of the parser. Inline elements other than links and
    images are left out, because the parser would open them again in each of the following blocks.

    Args:
        html: any string.

    Returns:
        HTML with the same blocks, links and images. A body with fewer tags than ``DEEPEST`` is unchanged.
    """
    return html if html.count("<") < DEEPEST else _Balance().balance(html)


class _Balance:
    """The stack of open blocks.

    Attributes:
        _open: names of the open blocks, the outermost first.
        _depths: positions of each name in the stack, so that no search walks it.
        _left_out: start tags of each name that were too deep, whose end tags are left out as well.
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        self._depths: dict[str, list[int]] = defaultdict(list)
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
        if name in _TABLE_PARTS and not self._depths["table"]:
            return _NOTHING
        closed = self._close_paragraph()
        if name in _TABLE_PARTS:
            closed += self._close_from(self._last(*_TABLE_PARTS[name]) + 1)
        elif name in _ITEMS:
            # The start of an item closes an open item, unless a block between them keeps the new one inside.
            item = self._last(*_ITEMS[name])
            if item >= self._last(*_NOT_IN_ITEMS) >= 0:
                closed += self._close_from(item)
        elif name in _HEADINGS and self._open and self._open[-1] in _HEADINGS:
            closed += self._close_from(len(self._open) - 1)
        if len(self._open) >= DEEPEST:
            self._left_out[name] += 1
            return closed + _LINE_END
        self._depths[name].append(len(self._open))
        self._open.append(name)
        return f"{closed}<{name}>"

    def _end(self, name: str) -> str:
        if self._left_out[name]:
            self._left_out[name] -= 1
            return _LINE_END
        limits = ("table",) if name in _TABLE_PARTS else _CLOSED_ELSEWHERE
        if name == "li":
            limits = (*limits, "ol", "ul")
        depth = self._last(*_HEADINGS) if name in _HEADINGS else self._last(name)  # an end tag closes any heading
        limit = self._last(*(limit for limit in limits if limit != name))
        if depth >= 0 and (name == "table" or depth > limit):
            return self._close_from(depth)
        return _LINE_END if name == "p" else _NOTHING

    def _close_paragraph(self) -> str:
        return self._close_from(len(self._open) - 1) if self._open and self._open[-1] == "p" else ""

    def _last(self, *names: str) -> int:
        """The depth of the innermost open block with one of the names; -1 if there is none."""
        return max((self._depths[name][-1] for name in names if self._depths[name]), default=-1)

    def _close_from(self, depth: int) -> str:
        """Close the blocks from a depth on, the innermost first."""
        closed = self._open[depth:][::-1]
        del self._open[depth:]
        for name in closed:
            self._depths[name].pop()
        return "".join(f"</{name}>" for name in closed)
