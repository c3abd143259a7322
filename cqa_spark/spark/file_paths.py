"""Paths of files, as Spark's readers take them."""

from __future__ import annotations

import re

_PATTERN_CHARACTER = re.compile(r"[][{}*?\\]")


def literal_path(path: str) -> str:
    """A path that names just this file: a folder's name may hold a bracket or a star, which would be a pattern."""
    return _PATTERN_CHARACTER.sub(r"\\\g<0>", path)
