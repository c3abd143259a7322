"""Errors of damaged compressed files, which occur only while Spark reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cqa_spark.corpora.stackexchange.lines import Files
from cqa_spark.errors import InputError

# Messages of Hadoop's gzip and bzip2 readers.
SIGNS = (
    "unexpected end of",
    "bad block header",
    "crc",
    "incorrect data check",
    "invalid block",
    "invalid stored block",
)


@contextmanager
def refuse_damaged(files: Files) -> Iterator[None]:
    """Convert the error of a damaged compressed file into an ``InputError``.

    Args:
        files: the files read within the block.

    Raises:
        InputError: a file cannot be decompressed to its end; Spark does not report which, so all compressed files are
            listed.
    """
    try:
        yield
    except Exception as error:  # py4j wraps whatever the codec raises
        packed = [each.file.path for each in files.values() if each.file.packed]
        if packed and any(sign in str(error).lower() for sign in SIGNS):
            raise InputError(
                f"damaged or truncated compressed files: {' or '.join(packed)}",
                "test them with gzip -t or bzip2 -t, and download damaged ones again",
            ) from error
        raise
