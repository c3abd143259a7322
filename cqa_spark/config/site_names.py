"""The names of sites: the first part of every key, and the name of a partition's folder."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator

from cqa_spark.config.value_types import Shown, refused

MAX_BYTES = 80
"""A partition's folder is named ``site=NAME``; escaping triples bytes, and file names have at most 255."""

ALLOWED = f"a site name has 1 to {MAX_BYTES} bytes of UTF-8, without control characters, line breaks, "
ALLOWED += "and spaces at either end"

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""Spark's folder name for a partition whose value is null."""

_FORBIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode categories: control characters, surrogates, line separators and paragraph separators."""


def site_problem(name: str) -> str | None:
    """Explain why a text is not a valid site name.

    Args:
        name: the text.

    Returns:
        The problem; None for a valid name.
    """
    forbidden = next((character for character in name if unicodedata.category(character) in _FORBIDDEN), None)
    if forbidden is not None:
        return f"the site name {name!r} contains the character U+{ord(forbidden):04X}"
    if name != name.strip():
        return f"the site name {name!r} starts or ends with a space"
    if not name:
        return "the site name is empty"
    if name == NO_VALUE:
        return f"Spark and Hive read {name} as a missing value"
    if len(name.encode()) > MAX_BYTES:
        return f"the site name {name!r} has {len(name.encode())} bytes"
    return None


def _site_name(name: str) -> str:
    problem = site_problem(name)
    if problem is not None:
        raise refused(problem, ALLOWED)
    return name


def _folder_name(name: str) -> str:
    if "/" in name or name in (".", ".."):
        raise refused(f"the site name {name!r} cannot name a folder", "give a name without a slash")
    return name


SiteName = Annotated[str, AfterValidator(_site_name), Shown("NAME")]
SiteFolderName = Annotated[SiteName, AfterValidator(_folder_name)]
