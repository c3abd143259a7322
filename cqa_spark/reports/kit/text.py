"""Formats of text that comes from inputs, and of lists of names."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def visible(text: str) -> str:
    """Replace control characters by their Unicode pictures, so that browsers and terminals do not interpret them."""
    return _CONTROL.sub(lambda match: "␡" if match[0] == "\x7f" else chr(0x2400 + ord(match[0])), text)


def readable(name: str) -> str:
    """A task's, table's or step's name with spaces: ``question_comment`` is ``question comment``."""
    return name.replace("_", " ")


def listed(names: Sequence[str], limit: int) -> str:
    """The first names, separated by commas, and the number of the remaining ones."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def file_name(path: str) -> str:
    """The file and its folder, which distinguishes two dumps."""
    return "/".join(path.rsplit("/", 2)[-2:])
