"""What stands around rows, and what the ends of a file say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.corpora.stackexchange.markup import (
    COMMENT,
    DamagedMarkup,
    Prolog,
    last_tag,
    prolog,
    skip,
)

COMMENTED = b"<?xml version='1.0'?>\r\n<!--\n <row Id='1' /> <posts> --&gt;\n-->\n<!-- b --><?c ?>\n"
MARKUP = [b"<!-- a -->", b"<?b?>", b"<!DOCTYPE c [<!ENTITY d '>'>] >", b"<posts>", b"</posts>", b"\n", b" ", b"x",
          b"<!--", b"-->", b"<?", b"?>", b"<!DOCTYPE", b"[", b"]>", b">", b"<row />"]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (COMMENTED + b"<posts a='b'>\n  <row ", Prolog("posts", len(COMMENTED) + 16, None)),
        (b"<posts><!-- a -->\n<row ", Prolog("posts", 18, None)),
        (b"<xml>", Prolog("xml", 5, None)),
        (b"<posts /> <!-- a", Prolog("posts", 16, COMMENT)),
        (b"<!doctype html><html><body>", Prolog("html", 21, None)),
        (b"\n<row Id='1' />", Prolog(None, 1, None)),
        (b"<!-- a", Prolog(None, 6, COMMENT)),
        (b"<!-- a <!-- <posts>", Prolog(None, 0, None)),
        (b"", Prolog(None, 0, None)),
    ],
)
def test_the_start_of_a_file(head: bytes, expected: Prolog) -> None:
    assert prolog(head) == expected


@pytest.mark.parametrize(
    ("tail", "name"),
    [
        (b"/>\r\n</posts>\r\n", "posts"),
        (b"</posts >\n<!-- a\n </users> <row /> -->\n<?b?>\n", "posts"),
        (b"<posts a='b'/><?c?>", "posts"),
        (b"a --> </posts>", "posts"),
        (b"<!-- </posts>", None),
        (b"<!-- a\n</posts>", "posts"),
        (b"<!-- </posts> --> <row />", "row"),
        (b"</posts> <!-- a", None),
        (b"<?a <row /><!-- ?>\n</posts>", "posts"),
        (b"</posts> text", None),
        (b"<row Id='1", None),
        (b"", None),
    ],
)
def test_the_end_of_a_file(tail: bytes, name: str | None) -> None:
    assert last_tag(tail) == name


def test_much_markup_takes_no_time() -> None:
    assert skip(b"<!-- - -->" * 50_000, "posts") == (500_000, None)
    assert last_tag(b"</posts><!-- a -->" * 50_000 + b"x") is None


@given(st.lists(st.lists(st.sampled_from(MARKUP)).map(b"".join)))
def test_markup_is_the_same_line_by_line(lines: list[bytes]) -> None:
    joined = outcome(b"\n".join(lines))
    position, within = 0, None
    for line in lines:
        try:
            end, within = skip(line, "posts", within=within)
        except DamagedMarkup:
            assert joined is None
            return
        if end < len(line):
            assert joined == position + end
            return
        position += len(line) + 1
    assert joined == max(0, position - 1)


def outcome(text: bytes) -> int | None:
    """The position where markup ends; None if it is damaged."""
    try:
        return skip(text, "posts")[0]
    except DamagedMarkup:
        return None
