"""Checks the content of files: what they are, by their first bytes, and whether records and texts were read.

A server may answer an HTML page in place of a file, and the elements of a file may have other names than expected.
"""

import re
from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import InputFile
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Terminal

TIME = "time"
SHOWN_NAMES = 20
SHOWN_TEXT = 80
SHOWN_CHARACTERS = 4000
REMEDY = "give files of this format, or name theirs with --corpus; the documentation describes the known formats"

_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)")
_ATTRIBUTE = re.compile(r"\s([A-Za-z_][\w.-]*)\s*=\s*[\"']")

HEAD_BYTES = 4096
"""First bytes that suffice to recognise a file."""

SHOWN_BYTES = 160

_RETRY = "download the file again; a browser shows what the server says"
_CONTENT = (
    # Formats with a suffix of their own
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", ".7z"),
    (rb"\x1f\x8b", "compressed by gzip", ".xml.gz"),
    (rb"BZh", "compressed by bzip2", ".xml.bz2"),
    (rb"\x28\xb5\x2f\xfd", "compressed by zstandard", ".xml.zst"),
    (rb"PK\x03\x04", "a zip archive", ".zip"),
    # Other encodings
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8"),
    (rb"<\x00", "UTF-16 text", "convert it: iconv -f UTF-16LE -t UTF-8"),
    (rb"\x00<", "UTF-16 text", "convert it: iconv -f UTF-16BE -t UTF-8"),
    # What stands for a file
    (rb"version https://git-lfs\.github\.com/spec/", "a Git LFS pointer, not the file itself",
     "run git lfs pull in its repository"),
    (rb"(?:\.\./)*(?:\.git)?/annex/objects/", "a git-annex pointer, not the file itself",
     "run git annex get in its repository"),
    # What servers answer in place of a file
    (rb"(?i)(?:<\?xml[^<>]*>\s*|<!--.*?-->\s*)*+(?:<!DOCTYPE\s+html\b|<(?:html|head|body)\b)", "an HTML page", _RETRY),
    (rb"(?:<\?xml[^<>]*>\s*)?<Error>", "an error message of an object store: {}", "check the address and your access"),
    (rb"[{\[]", "JSON, perhaps an error message: {}", _RETRY),
)  # fmt: skip
_patterns = [(re.compile(rb"(?s)" + pattern), what, remedy) for pattern, what, remedy in _CONTENT]
_blank = re.compile(rb"(?:\xef\xbb\xbf)?\s*+")


def check_content(
    records: DataFrame,
    inputs: Sequence[InputFile],
    expected: Sequence[str],
    texts: Mapping[str, Column],
    times: Column | None = None,
) -> None:
    """Refuse files without a readable record or without texts, and print what no record of a file has.

    Args:
        records: file (position in ``inputs``), byte_offset, raw, and problem (null if the record was read).
        inputs: the files.
        expected: the names of elements and attributes that the reader expects in each file, for messages.
        texts: the texts of a record by their kind, as arrays; a file must have a text of each kind of which it has
            records.
        times: the times of a record, as an array; None if the format has none.

    Raises:
        InputError: a file has no readable record or no text; the message says which names were expected and seen.
    """
    contents = {row["file"]: row for row in _contents(records, texts, times).collect()}
    problems = []
    for position, file in enumerate(inputs):
        row = contents.get(position)
        problem = ""
        if row is None:
            problem = "it has no records"
        elif not row["read"]:
            problem = f"no record could be read: {row['reason']}"
        else:
            textless = [kind for kind in texts if row[f"has {kind}"] and not row[f"has text of {kind}"]]
            if textless:
                problem = f"no {' and no '.join(textless)} has a text"
        names = f"\n    expected: {expected[position]}"
        if row is not None and row["first"]:
            names += f"\n    first record: {names_seen(row['first'])}"
        if problem:
            problems.append(f"{file.path}: {problem}{names}")
        elif row is not None and (absent := [kind for kind in (*texts, TIME) if not row[f"has {kind}"]]):
            Terminal(stderr=True).text(f"{file.path}: no record has a {' and no '.join(absent)}{names}")
    if problems:
        raise InputError("files that could not be read: " + "\n  ".join(problems), REMEDY)


def _contents(records: DataFrame, texts: Mapping[str, Column], times: Column | None) -> DataFrame:
    """One row per file."""
    is_read = F.col("problem").isNull()
    facts = [
        F.count_if(is_read).alias("read"),
        F.min_by("problem", F.when(~is_read, F.col("byte_offset"))).alias("reason"),
        F.min_by(F.substring("raw", 1, SHOWN_CHARACTERS), "byte_offset").alias("first"),
        F.max(is_read & F.exists(times, F.isnotnull) if times is not None else F.lit(True)).alias(f"has {TIME}"),
    ]
    for kind, column in texts.items():
        has_text = F.exists(column, lambda text: F.coalesce(text.rlike(r"\S"), F.lit(False)))
        facts.append(F.max(is_read & (F.size(column) > 0)).alias(f"has {kind}"))
        facts.append(F.max(is_read & has_text).alias(f"has text of {kind}"))
    return records.groupBy("file").agg(*facts)


def names_seen(xml: str) -> str:
    """The names of elements and attributes of a piece of XML, or its beginning if it has none, for messages."""
    elements, attributes = (list(dict.fromkeys(name.findall(xml)))[:SHOWN_NAMES] for name in (_ELEMENT, _ATTRIBUTE))
    if not elements:
        return repr(xml[:SHOWN_TEXT])
    return f"elements {', '.join(elements)}" + (f"; attributes {', '.join(attributes)}" if attributes else "")


def refuse_foreign_content(head: bytes, path: str) -> None:
    """Refuse a file that is neither text of XML nor what its name promises.

    Args:
        head: its first ``HEAD_BYTES`` bytes, or all of them.
        path: the file.

    Raises:
        InputError: it is something else that is recognised; the message names it.
    """
    blank = _blank.match(head)
    assert blank is not None, "nothing is a match, too"
    for pattern, what, remedy in _patterns:
        if pattern.match(head) or pattern.match(head, blank.end()):
            if remedy.startswith(".") and path.lower().endswith(remedy):
                return
            shown = " ".join(head[blank.end() :][:SHOWN_BYTES].decode("utf-8", "replace").split())
            advice = f"let its name end in {remedy}" if remedy.startswith(".") else remedy
            raise InputError(f"{path} is {what.format(shown)}", advice)
