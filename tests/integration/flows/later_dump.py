"""A dump as it might look a day later."""

import re
import shutil
from pathlib import Path


def write_later_dump(earlier: Path, later: Path) -> None:
    """Copy a dump and change it: an answer is gone, edited, new, accepted; a badge and votes are new, tags changed.

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
    accepted = _accept(posts)
    (later / "Posts.xml").write_text("".join(posts), encoding="utf-8")
    for table in ("Badges", "Votes", "Comments"):
        rows = (later / f"{table}.xml").read_text(encoding="utf-8").splitlines(keepends=True)
        rows[10] = _with_id(rows[10]) + rows[10]
        if table == "Votes":
            vote = next(row for row in reversed(rows) if ' PostId="' in row)
            for name, value in (("Id", "99999998"), ("PostId", accepted), ("VoteTypeId", "1")):
                vote = re.sub(rf' {name}="\d+"', f' {name}="{value}"', vote)
            rows.insert(11, vote)
        (later / f"{table}.xml").write_text("".join(rows), encoding="utf-8")


def _accept(posts: list[str]) -> str:
    """Accept the first answer of the first open question with two of them, and return its id."""
    for place, line in enumerate(posts):
        if ' PostTypeId="1"' in line and " AcceptedAnswerId=" not in line:
            question = re.search(r' Id="(\d+)"', line)
            assert question is not None
            answers = [each for each in posts if f' ParentId="{question[1]}"' in each]
            if len(answers) >= 2:
                found = re.search(r' Id="(\d+)"', answers[0])
                assert found is not None
                posts[place] = line.replace(' PostTypeId="1"', f' PostTypeId="1" AcceptedAnswerId="{found[1]}"')
                return found[1]
    raise AssertionError("the invented site has an open question")


def _with_id(row: str) -> str:
    """The row once more, under an id that no other row has."""
    return re.sub(r' Id="\d+"', ' Id="99999999"', row, count=1)
