"""Paths of files for Spark's readers."""

from __future__ import annotations

import re

_PATTERN_CHARACTER = re.compile(r"[][{}*?\\]")


def literal_path(path: str) -> str:
    """A path that matches only this file: brackets and asterisks in it are escaped, because Spark expands patterns."""
    return _PATTERN_CHARACTER.sub(r"\\\g<0>", path)
