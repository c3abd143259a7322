"""Probes both ends of a file before Spark reads it: its content, root and row layout, and whether it is complete."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from cqa_spark.corpora.foreign_content import refuse_foreign_content
from cqa_spark.corpora.stackexchange.attribute_names import refuse_renamed_attributes
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES
from cqa_spark.corpora.stackexchange.markup import last_tag, prolog
from cqa_spark.errors import InputError

HEAD_BYTES = 1 << 16
TAIL_BYTES = 1 << 12
LONGEST_MARKUP = 1 << 26
"""Bytes at either end of a file that are searched for the root's tag, beyond a comment."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SHOWN_BYTES = 80


class Layout(Enum):
    """The row layout: the separator at which Spark splits the file."""

    ROW_PER_LINE = "\n"
    ROW_PER_OLD_LINE = "\r"
    ROW_OVER_LINES = "<row"


@dataclass(frozen=True)
class FileProbe:
    """The result of probing a file.

    Attributes:
        uri: the file's full address, as in Spark's file metadata.
        size: stored size in bytes.
        layout: the row layout.
        root: the name of the element around its rows.
        marked: whether it starts with a byte order mark, which Spark's reader drops.
        complete: whether it ends with its root's closing tag; None if compression hides the end.
    """

    uri: str
    size: int
    layout: Layout
    root: str
    marked: bool
    complete: bool | None


class _Ends(NamedTuple):
    """Both ends of a file.

    Attributes:
        status: the file's status in its storage.
        head: its first bytes as text, decompressed.
        tail: its last bytes as stored.
    """

    status: Any
    head: bytes
    tail: bytes


def probe(spark: SparkSession, file: DumpFile) -> FileProbe:
    """Probe both ends of a file.

    Raises:
        InputError: it cannot be read, is not the XML of a dump (the message says what it is), or its attributes have
            other names.
    """
    ends = _ends(spark, file)
    refuse_foreign_content(ends.head, file.path)
    text = ends.head.removeprefix(BYTE_ORDER_MARK)
    root, start = _root(text, file)
    refuse_renamed_attributes(file, text[start:])
    # Compression hides the end of a file, unless it is empty.
    hides_end = file.packed and text
    return FileProbe(
        uri=ends.status.getPath().toUri().toString(),
        size=ends.status.getLen(),
        layout=_layout(text[start:]),
        root=root,
        marked=text != ends.head,
        complete=None if hides_end else (last_tag(ends.tail) or "").lower() == root.lower(),
    )


def _root(text: bytes, file: DumpFile) -> tuple[str, int]:
    """The name of the root element, and the position of what is in it.

    Any root may contain rows, except that of another table.
    """
    found, expected = prolog(text), file.dump_table.root
    content = text[found.end :]
    if found.root is None:
        if text.strip() and b"<" not in text:
            shown = " ".join(text[:SHOWN_BYTES].decode("utf-8", "replace").split())
            raise InputError(f"{file.path} is not XML; it starts with: {shown}", "check where the file comes from")
        return expected, found.end if found.within is None else 0
    root = found.root
    if root.lower() == expected:
        return root, found.end
    for table in DUMP_TABLES:
        if root.lower() == table.root:
            raise InputError(
                f"{file.path} has the root element <{root}>, so it is a table of {table.file}, not of "
                f"{file.dump_table.file}",
                f"let its name be {table.file}.xml",
            )
    if re.match(rb"<row[\s/>]", content):
        return root, found.end
    raise InputError(
        f"{file.path} has the root element <{root}>, not <{expected}>, and its first element is not <row>",
        "name the files of a Stack Exchange dump",
    )


def _layout(text: bytes) -> Layout:
    opening = re.search(rb"<row\s", text)
    if opening is None:
        return Layout.ROW_PER_LINE
    if b"\n" not in text and b"\r" in text:
        return Layout.ROW_PER_OLD_LINE
    first_line = re.split(rb"[\r\n]", text[opening.start() :], maxsplit=1)[0]
    whole = b">" in first_line or len(first_line) == len(text) - opening.start()
    alone = len(re.findall(rb"<row\s", first_line)) == 1
    return Layout.ROW_PER_LINE if whole and alone else Layout.ROW_OVER_LINES


def _ends(spark: SparkSession, file: DumpFile) -> _Ends:
    jvm: Any = spark._jvm
    configuration = spark._jsc.hadoopConfiguration()
    stored = b""
    try:
        path = jvm.org.apache.hadoop.fs.Path(file.path)
        storage = path.getFileSystem(configuration)
        status = storage.getFileStatus(path)
        stream = storage.open(path)
        try:
            stored = _read(jvm, stream, HEAD_BYTES)
            tail = _tail(partial(_read_at, jvm, stream), status.getLen())
            stream.seek(0)
            codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(configuration).getCodec(path)
            text = codec.createInputStream(stream) if codec else stream
            return _Ends(status, _head(partial(_read, jvm, text)), tail)
        finally:
            stream.close()
    except Exception as error:  # py4j wraps whatever the storage raises
        refuse_foreign_content(stored, file.path)
        raise InputError(f"cannot read {file.path}: {_first_line(error)}", "check the file and its storage") from error


def _head(read: Callable[[int], bytes]) -> bytes:
    """The first bytes: enough to see what follows the tag of the root, however long the comments before it are."""
    head = read(HEAD_BYTES)
    while len(head) < LONGEST_MARKUP:
        needed = prolog(head.removeprefix(BYTE_ORDER_MARK)).end + HEAD_BYTES // 2
        if needed <= len(head):
            break
        more = read(min(7 * len(head), LONGEST_MARKUP - len(head)))
        if not more:
            break
        head += more
    return head


def _tail(read: Callable[[int, int], bytes], size: int) -> bytes:
    """The last bytes: enough to see the last tag, however long the comments after it are."""
    length = TAIL_BYTES
    while True:
        tail = read(max(0, size - length), min(length, size))
        may_be_markup = tail.rstrip().endswith((b"-->", b"?>"))
        if length >= min(size, LONGEST_MARKUP) or not may_be_markup or last_tag(tail):
            return tail
        length = min(8 * length, LONGEST_MARKUP)


def _read_at(jvm: Any, stream: Any, start: int, most: int) -> bytes:
    stream.seek(start)
    return _read(jvm, stream, most)


def _read(jvm: Any, stream: Any, most: int) -> bytes:
    bounded = jvm.org.apache.commons.io.input.BoundedInputStream(stream, most)
    bounded.setPropagateClose(False)
    return bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(bounded))


def _first_line(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    return str(java.getMessage() if java else error).splitlines()[0]
