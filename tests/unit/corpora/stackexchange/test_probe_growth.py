"""The time to read a file is linear in its size, whatever is wrong with its lines: processor time at n and 4n."""

import io
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from cqa_spark.corpora.stackexchange import block_reader, recovery
from cqa_spark.corpora.stackexchange.block_reader import BlockReader
from cqa_spark.corpora.stackexchange.markup import last_tag, prolog
from cqa_spark.corpora.stackexchange.probe import RowLayout
from cqa_spark.corpora.stackexchange.tables import BY_FILE

SIZE = 1 << 14
"""Bytes of the smaller text."""

MOST_GROWTH = 9
"""Four times the text takes four times as long if time is linear, and sixteen times if it is quadratic."""

NOISE = 0.05
"""Seconds of processor time that tell nothing. What is quadratic takes far longer for the larger text."""

ROW = b'<row Id="1" PostTypeId="1" Body="%s" />\n'
LINES = {
    "CDATA sections that do not end": b"<![CDATA[\n",
    "CDATA sections that end": b"<![CDATA[\n]]>\n",
    "rows before CDATA sections": ROW % b"a" + b"<![CDATA[\n",
    "document types that do not end": b"<!DOCTYPE a\n",
    "subsets that do not end": b"<!DOCTYPE a [\n",
    "subsets after rows": ROW[:-1] % b"a" + b"<!DOCTYPE a [\n",
    "subsets that start on the next line": b"<!DOCTYPE a\n[\n",
    "subsets that end": b"<!DOCTYPE a [\n]>\n",
    "comments that do not end": b"<!--\n",
    "comments that end where the next starts": b"--> <!--\n",
    "comments after rows": ROW[:-1] % b"a" + b"<!--\n",
    "instructions that do not end": b"<?a\n",
    "instructions and comments in turn": b"<?a\n<!--\n",
    "lines that close any markup and open another": b"<!DOCTYPE a [ --> <!DOCTYPE b [ ]> <!--\n",
    "lines that close any markup and open a subset": b"<!DOCTYPE a [ ?> ]> <!DOCTYPE b [\n",
    "CDATA sections in subsets": b"<!DOCTYPE a [\n<![CDATA[\n",
    "rows that do not end": b'<row Id="1" Body="a\n',
    "rows that do not end, closed in vain": b'<row Id="1" Id="2"\na="" b="" >\n',
    "rows cut in names": b'<row Id="1" Bo\n',
    "rows with an open element": b"<row><a>\n",
    "closing tags": b"</row>\n",
    "tags of the root": b"<posts>\n</posts>\n",
    "blank lines": b"\n",
    "quotes": b'"\n',
    "zeros": b"\0\n",
}  # fmt: skip
PIECES = {
    "rows on one line": (b"", ROW[:-1] % b"a", b"\n"),
    "opened rows on one line": (b"", b"<row ", b"\n"),
    "opened elements on one line": (b"", b"<a>", b"\n"),
    "CDATA sections on one line": (b"", b"<![CDATA[", b"\n"),
    "comments on one line": (b"", b"<!-- -->", b"\n"),
    "open comments on one line": (b"", b"<!--", b"\n"),
    "subsets on one line": (b"", b"<!DOCTYPE a [", b"\n"),
    "quotes on one line": (b"", b'"', b"\n"),
    "a long comment": (b"<!--\n", b"a\n", b"-->\n"),
    "a long comment that does not end": (b"<!--\n", b"a\n", b""),
    "a long CDATA section that does not end": (b"<![CDATA[\n", b"a\n", b""),
    "a long subset of brackets": (b"<!DOCTYPE a [\n", b"] ]\n", b""),
    "a long row of lines": (b'<row Id="1" PostTypeId="1" Body="', b"a\n", b'" />\n'),
    "a long row of lines that does not end": (b'<row Id="1" PostTypeId="1" Body="', b"a\n", b""),
    "a row with many quotes": (b'<row Id="1"\n', b'a="" >\n', b"/>\n"),
    "a row with many attributes of one name": (b'<row Id="1" ', b'a="" ', b"/>\n"),
    "a body of references": (b'<row Id="1" PostTypeId="1" Body="', b"&lt;", b'" />\n'),
    "a body of control characters": (b'<row Id="1" PostTypeId="1" Body="', b"\x01", b'" />\n'),
    "a body of references to control characters": (b'<row Id="1" PostTypeId="1" Body="', b"&#x1F;", b'" />\n'),
    "a body of unknown entities": (b'<row Id="1" PostTypeId="1" Body="', b"&a;", b'" />\n'),
    "a body that is not UTF-8": (b'<row Id="1" PostTypeId="1" Body="', b"\xe9", b'" />\n'),
    "a body of private characters": (b'<row Id="1" PostTypeId="1" Body="\x01', "\U00100000".encode(), b'" />\n'),
    "tags": (b'<row Id="1" PostTypeId="1" Tags="', b"&lt;a&gt;", b'" />\n'),
    "tags that do not end": (b'<row Id="1" PostTypeId="1" Tags="', b"&lt;a", b'" />\n'),
}
TEXTS = {**{name: (b"", line, b"") for name, line in LINES.items()}, **PIECES}


def text_of(name: str, size: int) -> bytes:
    first, repeated, last = TEXTS[name]
    return b"<posts>\n" + first + repeated * (size // len(repeated)) + last


def seconds(measured: Callable[[], object]) -> Iterator[float]:
    """Seconds of processor time, as often as wanted."""
    while True:
        start = time.thread_time()
        measured()
        yield time.thread_time() - start


def require_linear(work: Callable[[bytes], object], name: str) -> None:
    """Repeat what takes too long, because the first time may compile, and others use the processor."""
    small, large = (seconds(partial(work, text_of(name, size))) for size in (SIZE, 4 * SIZE))
    growth = []
    while len(growth) < 3:
        shorter, longer = next(small), next(large)
        if longer < max(NOISE, MOST_GROWTH * shorter):
            return
        growth.append(longer / shorter)
    raise AssertionError(f"{name}: four times the text takes {growth} times as long")


def read(text: bytes, layout: RowLayout) -> int:
    reader = BlockReader(io.BytesIO(text), BY_FILE["posts"], "posts", layout)
    return sum(block.lines for block in reader.blocks())


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("layout", [RowLayout.ROW_PER_LINE, RowLayout.ROW_OVER_LINES])
def test_blocks(name: str, layout: RowLayout) -> None:
    require_linear(lambda text: read(text, layout), name)


@pytest.mark.parametrize("name", TEXTS)
def test_blocks_shorter_than_markup_that_does_not_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (recovery, block_reader):
        monkeypatch.setattr(module, "LONGEST", SIZE // 4)
    monkeypatch.setattr(block_reader, "BLOCK", SIZE // 32)
    require_linear(lambda text: read(text, RowLayout.ROW_PER_LINE), name)


@pytest.mark.parametrize("name", TEXTS)
def test_ends_of_files(name: str) -> None:
    require_linear(lambda text: (prolog(text), last_tag(text)), name)
