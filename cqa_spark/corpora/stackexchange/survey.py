"""Looks at the posts of dumps for a first impression, in a second per site: the beginning of the file, and its end.

Counts of files that are longer than what is read are estimates: posts are in the order of their ids, so the share of
questions in the first years stands for that of all.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cqa_spark.corpora.inputs import text_bytes
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.probe import Access, open_text

HEAD = 16 << 20
"""Bytes of text that are read at the beginning."""

TAIL = 1 << 16
"""Bytes that are read at the end of a file that is not compressed."""

_POST = re.compile(rb"<row\b")
_QUESTION = re.compile(rb'\bPostTypeId="1"')
_ANSWERED = re.compile(rb'\bAnswerCount="[1-9]')
_DAY = re.compile(rb'\bCreationDate="(\d{4}-\d\d-\d\d)T')


@dataclass(frozen=True)
class SitePosts:
    """What the posts of a site look like.

    Attributes:
        site: the site.
        posts: number of posts.
        questions: number of questions.
        answered: number of questions with an answer.
        first: day of the earliest post, such as ``2014-01-21``; empty if none has a day.
        last: day of the latest post; empty if unknown, as for a large compressed file.
        is_exact: whether the whole file was read.
        bytes: size of the text of all tables of the site.
    """

    site: str
    posts: int
    questions: int
    answered: int
    first: str
    last: str
    is_exact: bool
    bytes: int

    def __str__(self) -> str:
        """A line for people, such as ``beer.stackexchange.com: 2,008 posts, …``."""
        about = "" if self.is_exact else "about "
        period = f"{self.first} to {self.last}" if self.last else f"from {self.first} on"
        return (
            f"{self.site}: {about}{self.posts:,} posts, {self.questions:,} questions, {self.answered:,} of them with "
            f"answers, {period}"
        )


def survey(files: Iterable[DumpFile], access: Access) -> Iterator[SitePosts]:
    """Look at the posts of each site, in the order of the files.

    Args:
        files: of the dumps of all sites, local.
        access: how to read them.

    Raises:
        InputError: a file cannot be read.
    """
    files = list(files)
    sizes = {file.path: text_bytes([(file.path, Path(file.path).stat().st_size)]) for file in files}
    for file in (file for file in files if file.dump_table.file == "Posts"):
        stored = Path(file.path).stat().st_size
        with open_text(file, access, stored) as text:
            head = text.read(HEAD)
            is_exact = not text.read(1)
        tail = b""
        if not file.packing and not is_exact:
            with open_text(file, access, stored, start=max(len(head), stored - TAIL)) as text:
                tail = text.read(TAIL)
        factor = 1.0 if is_exact else max(1.0, sizes[file.path] / max(1, len(head)))
        days = sorted(_DAY.findall(head) + _DAY.findall(tail)) or [b""]
        last = days[-1].decode() if is_exact or tail else ""  # the end of a compressed file is not looked at
        posts, questions, answered = (
            round(len(pattern.findall(head)) * factor) for pattern in (_POST, _QUESTION, _ANSWERED)
        )
        yield SitePosts(
            file.site, posts, questions, answered, days[0].decode(), last, is_exact,
            sum(sizes[other.path] for other in files if other.dump == file.dump),
        )  # fmt: skip


def expected_seconds(sites: Iterable[SitePosts], cores: int) -> float:
    """About how long a first night takes.

    On two idle cores, docs/benchmarks.md has 23 s for 2,008 posts of a site, 170 s for 4 GB, and 176 s for 180 sites.

    Args:
        sites: as ``survey`` returns them.
        cores: number of cores.
    """
    sites = list(sites)
    return 22 + 0.8 * len(sites) + sum(site.bytes for site in sites) / 1e9 * 37 * 2 / cores
