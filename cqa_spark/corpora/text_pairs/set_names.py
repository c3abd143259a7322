"""Derives the names of sets from file names; ids of pairs start with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from cqa_spark.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import Column

_OFFICIAL = re.compile(r"(?i)^(?P<task>STS\d*)\.(?:gs|input|output|sys)\.")
_SUFFIX = re.compile(r"(?i)(?:\.(?:tsv|csv|txt))?(?:\.gz)?$")


def set_name(path: str) -> str:
    """The set of an official file: ``headlines`` for ``STS.gs.headlines.txt`` and ``headlines.tsv``."""
    return _SUFFIX.sub("", _OFFICIAL.sub("", PurePosixPath(path).name))


def set_ids(paths: Sequence[str]) -> list[str]:
    """Ids of sets with their folders, such as ``2014/OnWN.test``, because set names recur over the years.

    Raises:
        InputError: two files would have the same id.
    """
    ids = ["_".join(f"{PurePosixPath(path).parent.name}/{set_name(path)}".split()) for path in paths]
    repeated = [path for path, name in zip(paths, ids, strict=True) if ids.count(name) > 1]
    if repeated:
        raise InputError(
            f"sets of the same name in folders of the same name: {', '.join(repeated)}",
            "rename a file or its folder: ids of pairs contain both",
        )
    return ids


def gold_path(path: str) -> str | None:
    """The gold file of an official input: ``STS.gs.news.txt`` for ``STS.input.news.txt``."""
    folder, _, name = path.rpartition("/")
    gold = re.sub(r"(?i)^(STS\d*)\.input\.", r"\1.gs.", name)
    return None if gold == name else f"{folder}/{gold}" if folder else gold


def set_of_pair(sentence: Column) -> Column:
    """The set of a sentence, from its id: set, line and position in the pair, as in ``2014/OnWN.test:12:1``."""
    from pyspark.sql import functions as F

    return F.regexp_extract(sentence, r"^(.*):\d+:\d$", 1)
