"""Compressed files that cannot be unpacked; it shows only while Spark reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cqa_spark.corpora.stackexchange.lines import Files
from cqa_spark.errors import InputError

# What Hadoop's gzip and bzip2 readers say.
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
    """Turn the error of a damaged compressed file into one that says what to do.

    Args:
        files: what is read within the block.

    Raises:
        InputError: one cannot be unpacked to its end; Spark does not say which, so all compressed ones are named.
    """
    try:
        yield
    except Exception as error:  # py4j wraps whatever the codec raises
        packed = [each.file.path for each in files.values() if each.file.packed]
        if packed and any(sign in str(error).lower() for sign in SIGNS):
            raise InputError(
                f"damaged or cut short, cannot be unpacked to the end: {' or '.join(packed)}",
                "test with gzip -t or bzip2 -t, and download again what fails",
            ) from error
        raise
