"""Bounds how deep the elements of a body are nested, because the time of HTML parsers is quadratic in it.

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
