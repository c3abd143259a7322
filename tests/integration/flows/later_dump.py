"""A dump as it might look a day later."""

from __future__ import annotations

import re
import shutil
from pathlib import Path


def write_later_dump(earlier: Path, later: Path) -> None:
    """Copy a dump and change it: an answer is gone, one is edited, one is new; a badge and votes are new, tags changed.

    Args:
        earlier: folder of the dump's files.
        later: folder that is made.
    """
    shutil.copytree(earlier, later)
    posts = (later / "Posts.xml").read_text(encoding="utf-8").splitlines(keepends=True)
    answers = [place for place, line in enumerate(posts) if ' PostTypeId="2"' in line]
    questions = [place for place, line in enumerate(posts) if ' PostTypeId="1"' in line]
    posts[answers[3]] = re.sub(r' Body="', ' Body="In short: ', posts[answers[3]], count=1)
    posts[answers[5]] = _with_id(posts[answers[5]]) + posts[answers[5]]
    posts[questions[2]] = re.sub(r' Tags="[^"]*"', ' Tags="&lt;other&gt;"', posts[questions[2]])
    posts[answers[9]] = ""
    (later / "Posts.xml").write_text("".join(posts), encoding="utf-8")
    for table in ("Badges", "Votes", "Comments"):
        rows = (later / f"{table}.xml").read_text(encoding="utf-8").splitlines(keepends=True)
        rows[10] = _with_id(rows[10]) + rows[10]
        (later / f"{table}.xml").write_text("".join(rows), encoding="utf-8")


def _with_id(row: str) -> str:
    """The row once more, under an id that no other row has."""
    return re.sub(r' Id="\d+"', ' Id="99999999"', row, count=1)
