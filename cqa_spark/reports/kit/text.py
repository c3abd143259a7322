"""Formats of names and of lists of names."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORDS = re.compile(r"[a-z ,]+")


def readable(name: str) -> str:
    """A task's, table's or step's name with spaces: ``ranked_users`` is ``ranked users``."""
    return name.replace("_", " ")


def heading(text: str) -> str:
    """The heading of a column on a page: words begin with a capital letter; names with other characters stay."""
    return text.capitalize() if _WORDS.fullmatch(text) else text


def listed(names: Sequence[str], limit: int) -> str:
    """The first names, separated by commas, and the number of the remaining ones."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def file_name(path: str) -> str:
    """The file and its folder, which distinguishes two dumps."""
    return "/".join(path.rsplit("/", 2)[-2:])
