"""What the posts of a dump look like before it is read."""

import gzip
import shutil
from pathlib import Path

import pytest

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.stackexchange import survey as surveys
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.probe import Access
from cqa_spark.corpora.stackexchange.survey import SitePosts, expected_seconds, survey
from cqa_spark.settings.sections import ObjectStorageSettings

ROWS = [
    '  <row Id="1" PostTypeId="1" CreationDate="2014-01-21T20:26:05.383" AnswerCount="1" />',
    '  <row Id="2" PostTypeId="2" CreationDate="2014-01-22T20:26:05.383" ParentId="1" />',
    '  <row Id="3" PostTypeId="1" CreationDate="2014-03-01T20:26:05.383" AnswerCount="0" />',
    '  <row Id="4" PostTypeId="5" CreationDate="2013-12-31T20:26:05.383" />',
]
POSTS = "\n".join(['<?xml version="1.0" encoding="utf-8"?>', "<posts>", *ROWS, "</posts>", ""])
ACCESS = Access(ObjectStorageSettings(), UnpackLimits(200, 10**9))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "beer.stackexchange.com"
    folder.mkdir()
    (folder / "Posts.xml").write_text(POSTS)
    (folder / "Users.xml").write_bytes(b"<users>\n</users>\n")
    return folder


def test_small_files_are_counted(folder: Path) -> None:
    [site] = survey(find_dump_files([str(folder)]), ACCESS)
    assert site == SitePosts(
        "beer.stackexchange.com", 4, 2, 1, "2013-12-31", "2014-03-01", True, len(POSTS) + len("<users>\n</users>\n")
    )
    assert str(site) == (
        "beer.stackexchange.com: 4 posts, 2 questions, 1 of them with answers, 2013-12-31 to 2014-03-01"
    )


def test_long_files_are_estimated_by_their_beginning_and_their_last_day(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = POSTS.index(ROWS[2])
    monkeypatch.setattr(surveys, "HEAD", head)
    [site] = survey(find_dump_files([str(folder)]), ACCESS)
    factor = len(POSTS) / head
    assert (site.posts, site.questions, site.answered) == (round(2 * factor), round(factor), round(factor))
    assert (site.first, site.last, site.is_exact) == ("2013-12-31", "2014-03-01", False)
    assert str(site).startswith(f"beer.stackexchange.com: about {site.posts} posts")


def test_compressed_files_are_read_too(folder: Path) -> None:
    with (folder / "Posts.xml").open("rb") as plain, gzip.open(folder / "Posts.xml.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    (folder / "Posts.xml").unlink()
    [site] = survey(find_dump_files([str(folder)]), ACCESS)
    assert (site.posts, site.answered, site.is_exact) == (4, 1, True)


def test_the_expected_time_grows_with_sites_and_bytes_and_shrinks_with_cores() -> None:
    site = SitePosts("a", 1, 1, 1, "", "", True, 4 * 10**9)
    assert expected_seconds([site], cores=2) == pytest.approx(22 + 0.8 + 148)
    assert expected_seconds([site, site], cores=4) == pytest.approx(22 + 1.6 + 148)
