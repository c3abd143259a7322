"""How much of both ends of a file is read, so that the root's tags are seen beyond comments of any length."""

import io

import pytest

from cqa_spark.corpora.stackexchange import probe as file_probe
from cqa_spark.corpora.stackexchange.markup import last_tag, prolog

COMMENT = b"<!--\n" + b"  <posts> </posts> <row />\n" * 50_000 + b"-->\n"


def head_of(content: bytes) -> bytes:
    return file_probe._head(io.BytesIO(content).read)


def tail_of(content: bytes) -> bytes:
    return file_probe._tail(lambda start, most: content[start : start + most], len(content))


def test_a_long_comment_before_the_root() -> None:
    head = head_of(b"\xef\xbb\xbf" + COMMENT + b"<posts>\n" + COMMENT + b"<row Id='1' />" * 10**6)
    assert 2 * len(COMMENT) < len(head) < 8 * 2 * len(COMMENT)
    assert prolog(head[3:]).root == "posts"


def test_a_long_comment_after_the_root() -> None:
    tail = tail_of(b"<row Id='1' />" * 10**6 + b"</xml>\n" + COMMENT)
    assert len(tail) < 8 * len(COMMENT)
    assert last_tag(tail) == "xml"


@pytest.mark.parametrize("content", [b"", b"<posts>", b"<!-- a", b"<row Id='1' />" * 1000])
def test_short_files_are_read_to_their_ends(content: bytes) -> None:
    assert head_of(content) == content
    assert content.endswith(tail_of(content))


def test_what_is_read_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_probe, "LONGEST_MARKUP", 100_000)
    assert len(head_of(COMMENT[:-4])) == 100_000
    assert len(tail_of(COMMENT[5:])) == 100_000


def test_of_other_files_little_is_read() -> None:
    content = b"<posts>\n" + b"<row Id='1' />\n" * 100_000
    assert (len(head_of(content)), len(tail_of(content))) == (file_probe.HEAD_BYTES, file_probe.TAIL_BYTES)
