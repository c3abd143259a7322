"""A matcher that counts its steps: how the work of a regular expression grows cannot depend on the clock.

It matches as Python's ``re`` and Java's ``java.util.regex`` do, by backtracking, over the tree that Python parses the
pattern into. A step is one look at a character, a position or a group; neither library is clever enough to need fewer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Continuation = Callable[[int], int | None]
Test = Callable[[str], bool]

# A few characters of each class are enough for strings made to be slow.
JAVA_CLASSES = {"L": "a-zA-Zé", "Lu": "A-Z", "M": "\u0300-\u036f", "N": "0-9", "Z": " \u00a0", "Cc": "\x00-\x1f"}
CATEGORIES: dict[Any, Test] = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
}
OPPOSITES = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
}
SINGLE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)


def count_steps(pattern: str, text: str) -> int:
    """Count the steps that finding all matches of a pattern takes.

    Args:
        pattern: of Python or of Java.
        text: what is searched.
    """
    with _deep_recursion():
        return _matcher(pattern).find_all(text)[1]


def find_all(pattern: str, text: str) -> list[tuple[int, int]]:
    """Start and end of all matches, as ``re.finditer`` gives them."""
    with _deep_recursion():
        return _matcher(pattern).find_all(text)[0]


def is_bounded(pattern: str) -> bool:
    """Whether a pattern matches texts up to some length only: the work at a place is bounded, too."""
    return int(parser.parse(from_java(pattern)).getwidth()[1]) < op.MAXREPEAT


def from_java(pattern: str) -> str:
    r"""Write a pattern of Java as one of Python: ``\p{L}``, ``\x{1F600}``, ``\z``, classes that intersect."""
    pattern = re.sub(r"&&\[[^]]*\]", "", pattern)
    written, depth, place = [], 0, 0
    for token in re.finditer(r"\\p\{(\w+)\}|\\x\{([0-9A-F]+)\}|\\.|[][]|[^][\\]+", pattern, re.DOTALL):
        assert token.start() == place, pattern
        place = token.end()
        if token[1]:
            members = JAVA_CLASSES[token[1]]
            written.append(members if depth else f"[{members}]")
        elif token[2]:
            written.append(f"\\U{int(token[2], 16):08x}")
        else:
            depth += {"[": not depth, "]": -1 if depth else 0}.get(token[0], 0)
            written.append(r"\Z" if token[0] == r"\z" else token[0])
    return "".join(written)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@cache
def _matcher(pattern: str) -> _Matcher:
    return _Matcher(pattern)


class _Matcher:
    def __init__(self, pattern: str) -> None:
        tree = parser.parse(from_java(pattern))
        self._text = ""
        self._flags = tree.state.flags
        self._groups: dict[int, tuple[int, int]] = {}
        self._steps = 0
        self._refused: int | None = None
        self._start = self._sequence(tree, lambda place: None if place == self._refused else place)

    def find_all(self, text: str) -> tuple[list[tuple[int, int]], int]:
        found, place = [], 0
        self._text, self._steps = text, 0
        while place <= len(self._text):
            self._groups.clear()
            end = self._start(place)
            if end is not None:
                found.append((place, end))
            # At the place of an empty match, Python looks for one that is not empty.
            self._refused = place if end == place else None
            place = place + 1 if end is None else end
        return found, self._steps

    def _sequence(self, nodes: Any, then: Continuation) -> Continuation:
        for kind, value in reversed(list(nodes)):
            then = self._node(kind, value, then)
        return then

    def _node(self, kind: Any, value: Any, then: Continuation) -> Continuation:
        if kind in SINGLE:
            test = self._test(kind, value)
            return lambda place: then(place + 1) if self._fits(test, place) else None
        if kind is op.AT:
            return lambda place: then(place) if self._is_at(value, place) else None
        if kind is op.BRANCH:
            branches = [self._sequence(branch, then) for branch in value[1]]
            return lambda place: next((end for each in branches if (end := each(place)) is not None), None)
        if kind is op.SUBPATTERN:
            return self._group(*value, then)
        if kind is op.GROUPREF:
            return lambda place: self._repeat_group(value, place, then)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            return self._look(value, kind is op.ASSERT, then)
        if kind is op.ATOMIC_GROUP:
            inner = self._sequence(value, lambda place: place)
            return lambda place: then(end) if (end := inner(place)) is not None else None
        return self._repeat(kind, *value, then)

    def _fits(self, test: Test, place: int) -> bool:
        self._steps += 1
        return place < len(self._text) and test(self._text[place])

    def _test(self, kind: Any, value: Any) -> Test:
        if kind is op.ANY:
            dot_all = bool(self._flags & re.DOTALL)
            return lambda c: dot_all or c != "\n"
        items = [(op.LITERAL, value)] if kind in (op.LITERAL, op.NOT_LITERAL) else list(value)
        negate = kind is op.NOT_LITERAL or items[0][0] is op.NEGATE
        members = [self._member(*item) for item in items if item[0] is not op.NEGATE]
        ignore_case = bool(self._flags & re.IGNORECASE)

        @cache
        def fits(c: str) -> bool:
            cases = (c.lower(), c.upper()) if ignore_case else (c,)
            return any(member(each) for member in members for each in cases) is not negate

        return fits

    def _member(self, kind: Any, value: Any) -> Test:
        if kind is op.LITERAL:
            return lambda c: c == chr(value)
        if kind is op.RANGE:
            return lambda c: chr(value[0]) <= c <= chr(value[1])
        if value in OPPOSITES:
            return lambda c: not CATEGORIES[OPPOSITES[value]](c)
        return CATEGORIES[value]

    def _is_at(self, where: Any, place: int) -> bool:
        self._steps += 1
        if where in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return place == 0
        if where is op.AT_END_STRING:
            return place == len(self._text)
        if where is op.AT_END:
            return place == len(self._text) or self._text[place:] == "\n"
        is_word = CATEGORIES[op.CATEGORY_WORD]
        before = place > 0 and is_word(self._text[place - 1])
        after = place < len(self._text) and is_word(self._text[place])
        return (before != after) is (where is op.AT_BOUNDARY)

    def _group(self, number: int | None, add: int, remove: int, nodes: Any, then: Continuation) -> Continuation:
        starts: list[int] = []

        def leave(place: int) -> int | None:
            if number is not None:
                self._groups[number] = (starts[-1], place)
            return then(place)

        before = self._flags
        self._flags = (before | add) & ~remove
        inner = self._sequence(nodes, leave)
        self._flags = before

        def enter(place: int) -> int | None:
            starts.append(place)
            end = inner(place)
            starts.pop()
            return end

        return enter

    def _repeat_group(self, number: int, place: int, then: Continuation) -> int | None:
        start, end = self._groups.get(number, (0, -1))
        self._steps += 1
        if end < start:
            return None
        wanted, found = self._text[start:end], self._text[place : place + end - start]
        self._steps += len(wanted)
        same = wanted.lower() == found.lower() if self._flags & re.IGNORECASE else wanted == found
        return then(place + len(wanted)) if same else None

    def _look(self, value: Any, wanted: bool, then: Continuation) -> Continuation:
        direction, nodes = value
        width = nodes.getwidth()[0] if direction < 0 else 0
        inner = self._sequence(nodes, lambda place: place)

        def look(place: int) -> int | None:
            self._steps += 1
            seen = place >= width and inner(place - width) is not None
            return then(place) if seen is wanted else None

        return look

    def _repeat(self, kind: Any, least: int, most: Any, nodes: Any, then: Continuation) -> Continuation:
        limit = sys.maxsize if most is op.MAXREPEAT else int(most)
        items = list(nodes)
        if len(items) == 1 and items[0][0] in SINGLE:
            test = self._test(*items[0])
            return lambda place: self._repeat_character(kind, test, least, limit, place, then)
        if kind is op.POSSESSIVE_REPEAT:
            once = self._sequence(nodes, lambda place: place)
            return lambda place: self._repeat_possessively(once, least, limit, place, then)
        return self._repeat_nodes(kind, nodes, least, limit, then)

    def _repeat_character(
        self, kind: Any, test: Test, least: int, limit: int, place: int, then: Continuation
    ) -> int | None:
        count = 0
        lazy = kind is op.MIN_REPEAT
        while count < (least if lazy else limit) and self._fits(test, place + count):
            count += 1
        if count < least:
            return None
        if kind is op.POSSESSIVE_REPEAT:
            return then(place + count)
        while least <= count <= limit:
            end = then(place + count)
            if end is not None or (lazy and not self._fits(test, place + count)):
                return end
            count += 1 if lazy else -1
        return None

    def _repeat_possessively(
        self, once: Continuation, least: int, limit: int, place: int, then: Continuation
    ) -> int | None:
        count = 0
        while count < limit and (end := once(place)) is not None:
            count += 1
            if end == place:
                break
            place = end
        return then(place) if count >= least else None

    def _repeat_nodes(self, kind: Any, nodes: Any, least: int, limit: int, then: Continuation) -> Continuation:
        trail: list[tuple[int, int]] = []

        def again(place: int) -> int | None:
            count, last = trail[-1]
            if place == last and count > least:
                return None
            return attempt(count, place)

        inner = self._sequence(nodes, again)

        def attempt(count: int, place: int) -> int | None:
            ways = [lambda: more(count, place), lambda: then(place) if count >= least else None]
            for way in reversed(ways) if kind is op.MIN_REPEAT else ways:
                end = way()
                if end is not None:
                    return end
            return None

        def more(count: int, place: int) -> int | None:
            if count >= limit:
                return None
            trail.append((count + 1, place))
            end = inner(place)
            trail.pop()
            return end

        return lambda place: attempt(0, place)
