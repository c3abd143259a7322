"""Probes both ends of a file before Spark reads it: whether it is text, its row layout, and whether it is complete."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pyspark.sql import SparkSession

from cqa_spark.corpora.stackexchange.attribute_names import refuse_renamed_attributes
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.errors import InputError

HEAD_BYTES = 1 << 16
TAIL_BYTES = 256
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FOREIGN = {
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; let its name end in .7z",
    b"\x1f\x8b": "compressed by gzip; let its name end in .xml.gz",
    b"BZh": "compressed by bzip2; let its name end in .xml.bz2",
    b"\x28\xb5\x2f\xfd": "compressed by zstandard; let its name end in .xml.zst",
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"\xff\xfe": "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8",
    b"<\x00": "UTF-16 text; convert it: iconv -f UTF-16LE -t UTF-8",
    b"\x00<": "UTF-16 text; convert it: iconv -f UTF-16BE -t UTF-8",
}


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
        marked: whether it starts with a byte order mark, which Spark's reader drops.
        complete: whether it ends with its root's closing tag; None if compression hides the end.
    """

    uri: str
    size: int
    layout: Layout
    marked: bool
    complete: bool | None


def probe(spark: SparkSession, file: DumpFile) -> FileProbe:
    """Probe both ends of a file.

    Raises:
        InputError: it cannot be read, is not the XML of a dump (the message names the detected format), or its
            attributes have other names.
    """
    try:
        status, head, tail = _ends(spark, file)
    except Exception as error:  # py4j wraps whatever the storage raises
        raise InputError(f"cannot read {file.path}: {_first_line(error)}", "check the file and its storage") from error
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise InputError(f"{file.path} is {what.split(';')[0]}", what.split(";")[1].strip())
    refuse_renamed_attributes(file, head)
    marked = head.startswith(BYTE_ORDER_MARK)
    return FileProbe(
        uri=status.getPath().toUri().toString(),
        size=status.getLen(),
        layout=_layout(head),
        marked=marked,
        complete=None if file.packed else _is_complete(file, tail),
    )


def _layout(head: bytes) -> Layout:
    opening = re.search(rb"<row\s", head)
    if opening is None:
        return Layout.ROW_PER_LINE
    if b"\n" not in head and b"\r" in head:
        return Layout.ROW_PER_OLD_LINE
    first_line = re.split(rb"[\r\n]", head[opening.start() :], maxsplit=1)[0]
    whole = b">" in first_line or len(first_line) == len(head) - opening.start()
    alone = len(re.findall(rb"<row\s", first_line)) == 1
    return Layout.ROW_PER_LINE if whole and alone else Layout.ROW_OVER_LINES


def _is_complete(file: DumpFile, tail: bytes) -> bool:
    root = file.dump_table.root.encode()
    return re.search(rb"(?i)</%b\s*>\s*(?:<!--.*-->\s*)?\Z|<%b\s*/>\s*\Z" % (root, root), tail) is not None


def _ends(spark: SparkSession, file: DumpFile) -> tuple[Any, bytes, bytes]:
    """The file's status in its storage, its first bytes as text, its last bytes as stored."""
    jvm: Any = spark._jvm
    configuration = spark._jsc.hadoopConfiguration()
    path = jvm.org.apache.hadoop.fs.Path(file.path)
    storage = path.getFileSystem(configuration)
    status = storage.getFileStatus(path)
    size = status.getLen()
    stream = storage.open(path)
    try:
        tail_at = max(0, size - TAIL_BYTES)
        stream.seek(tail_at)
        tail = _read(jvm, stream, size - tail_at)
        stream.seek(0)
        codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(configuration).getCodec(path)
        text = codec.createInputStream(stream) if codec else stream
        return status, _read(jvm, text, HEAD_BYTES), tail
    finally:
        stream.close()


def _read(jvm: Any, stream: Any, most: int) -> bytes:
    bounded = jvm.org.apache.commons.io.input.BoundedInputStream(stream, most)
    bounded.setPropagateClose(False)
    return bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(bounded))


def _first_line(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    return str(java.getMessage() if java else error).splitlines()[0]
