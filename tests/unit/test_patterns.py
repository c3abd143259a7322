"""No pattern that meets the text of users takes more than proportionally longer on twice the text."""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest
from backtracking import count_steps, find_all, is_bounded
from hypothesis import given
from hypothesis import strategies as st

import cqa_spark.features.groups
from cqa_spark.corpora import content_check as foreign_content
from cqa_spark.corpora.qatar_living import threads as layout
from cqa_spark.corpora.stackexchange import markup, values
from cqa_spark.corpora.stackexchange import recovery as records
from cqa_spark.task_contract import leakage
from cqa_spark.text import cleaning, post_words
from cqa_spark.text import markup as body
from cqa_spark.text import scripts as arabic
from cqa_spark.text import scripts as unspaced_scripts
from cqa_spark.text.analysers.spark_nlp import WORD_EDGES

PIECES = (
    "<!DOCTYPE a [", "<!DOCTYPE ", "<!--", "<?xml ", "<?", "]", "] ", "]>", "<posts ", "</posts ", "<xml ", "</", "<",
    "<script>", "<script> <style>", "</script ", "<a href", "<a ", "href", "<a href=x>", "<a href=x>http://", "<img ",
    "<p ", "<br/", "[img]", "[img_assist|", "&", "&amp;", "&a", "&#1", "http://", "www.", "http://a.jp", "a.", "a-",
    "-", "a@", "a@a.", "@", ".", "..", " .....", "?", "?!", "? ", "!", ".,", "/", ":", ":(", "<3", "^_", "_", "'", "'s",
    '"', "“", "“a", "a", "A", "aA ", "aab", "ha", "hah", "are you ", "are u u ", "is ", ".is ", "?is ", "1", "1,", "1 ",
    "qr ", " ", "\n", " \n", "\t", "\r", "é", "\x00", "&#x1F;", "\U0001f600", "\ufe0f", "日", "か\u3099",
)  # fmt: skip
"""What is repeated: starts without an end, for every pattern, and what several parts of one can match."""
ENDS = ("", "\x01")
SHORT, LONG = 16, 200
MOST = 2.3
"""Steps on twice the text over steps on the text: 2 where they are proportional, 4 where they grow with the square."""


def growth(pattern: str, piece: str, end: str) -> float:
    """Steps on a text with twice as many pieces over steps on the text.

    Bounded repeats grow in proportion only beyond their bound, so a pattern that fails on a short text gets a long one.
    """
    for times in (SHORT, LONG):
        ratio = count_steps(pattern, 2 * times * piece + end) / count_steps(pattern, times * piece + end)
        if ratio <= MOST:
            break
    return ratio


class Recorder:
    """Stands for Spark's functions and columns, and keeps the patterns that are given to them."""

    def __init__(self) -> None:
        self.patterns: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def function(*arguments: Any) -> Recorder:
            if name in ("regexp_replace", "regexp_extract_all", "rlike"):
                self.patterns.append(arguments[1])
            return arguments[0] if name == "lit" else self

        return function


def modules(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def compiled_within(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (found for each in value.values() for found in compiled_within(each))
    elif isinstance(value, tuple | list):
        yield from (found for each in value for found in compiled_within(each))


def of_features() -> Iterator[str]:
    """The compiled patterns in the modules of features, with the flags that matter."""
    for module in modules(cqa_spark.features.groups):
        for value in vars(module).values():
            for found in compiled_within(value):
                yield "(?i)" * bool(found.flags & re.IGNORECASE) + found.pattern


def in_expressions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    recorder = Recorder()
    for module in (arabic, cleaning, leakage, post_words, unspaced_scripts):
        monkeypatch.setattr(module, "F", recorder)
    cleaning.clean(recorder)  # type: ignore[arg-type]
    arabic.light_stem(recorder)  # type: ignore[arg-type]
    leakage.letters(recorder)  # type: ignore[arg-type]
    post_words.post_words()
    return recorder.patterns


def named() -> Iterator[str]:
    """Patterns by their names; what is only matched at the start of a text starts with its start."""
    yield layout.WRAPPER
    yield "(?i)\\A" + markup._blanks_and_tags("posts").pattern.decode().removeprefix("(?i)")
    yield from ("\\A" + each.pattern.decode() for each in (markup._row, markup._first_tag))
    yield from (each.stop.pattern.decode() for each in (*markup._BY_OPENING.values(), markup.SUBSET))
    yield markup._last_tag.pattern.decode()
    yield from ("(?is)\\A(?:" + text.removeprefix("(?i)") + ")" for text in _decodable(foreign_content._CONTENT))
    yield from (each.pattern for each in (records._reference, body.SPACE, body.BLANKS, body.LINE_END))
    yield from ("\\A" + each.pattern + "\\Z" for each in (values._WHOLE, values._TIME))
    yield from (records._attribute.pattern.decode(), WORD_EDGES)


def _decodable(content: Iterable[tuple[bytes, str, str]]) -> Iterator[str]:
    """The patterns of texts, without those of bytes that are no text."""
    return (pattern.decode() for pattern, *_ in content if pattern.isascii() and rb"\x" not in pattern)


def refuse_growth(patterns: Iterator[str] | list[str]) -> None:
    checked = sorted({pattern for pattern in patterns if not is_bounded(pattern)})
    assert checked
    slow = [
        (pattern, piece, end, round(ratio, 1))
        for pattern in checked
        for piece in PIECES
        for end in ENDS
        if (ratio := growth(pattern, piece, end)) > MOST
    ]
    assert slow == []


def test_patterns_of_expressions_over_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_growth(in_expressions(monkeypatch))


def test_patterns_of_features() -> None:
    refuse_growth(of_features())


def test_other_patterns() -> None:
    refuse_growth(named())


KNOWN = (r"a+b", r"(?i)(ha|he){2,}h?", r"(?s)<!--.*?-->", r"(\w)\1{2,}", r"\b[A-Z]{2,}\b", r"(?:a|ab)(?:c|bcd)*$",
         r"(?>a*)ab|a", r"(?<![ab])(?:[ab]+\.)+(?:ab|b)(?![ab])", r"(a|b)*+c", r"(?i)A(?=b+c)",
         r"^\W*|c\Z")  # fmt: skip


@given(st.sampled_from(KNOWN), st.text("abcAHe .<!->h", max_size=12))
def test_the_matcher_that_counts_finds_what_python_finds(pattern: str, text: str) -> None:
    assert find_all(pattern, text) == [found.span() for found in re.finditer(pattern, text)]


def test_the_count_shows_what_grows_with_the_square() -> None:
    assert growth("<!--.*?-->", "<!--", "") > 3.9
    assert growth(r"[a-z]+@", "a", "") > 3.9
    assert growth("<!--", "<!--", "") == pytest.approx(2, abs=0.1)
