"""Recognises files that are not what their names promise, by their first bytes."""

import re

from cqa_spark.errors import InputError

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
