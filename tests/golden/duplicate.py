"""The golden run of task E: duplicates of questions on a small made-up site."""

from pathlib import Path

import pytest
from golden.run import GoldenRun, made_once
from pyspark.sql import SparkSession

from cqa_spark.cli import main

SITE = "beer.example.org"
TOPICS = (
    "malt", "hops", "yeast", "barrel", "glass", "foam", "bottle", "keg", "stout", "lager", "porter", "cider",
)  # fmt: skip


def write_site(folder: Path, *, links: bool = True, last: int = 144, gone: int = 0) -> Path:
    """A site whose odd questions ask again what others asked 24 questions before, and are closed as duplicates.

    Args:
        folder: does not exist yet.
        links: whether the dump says which questions are duplicates.
        last: number of the last question.
        gone: number of a question that was deleted; 0 for none.
    """
    folder.mkdir(parents=True)
    rows, pairs = [], []
    for number in range(1, last + 1):
        if number == gone:
            continue
        word = f"detail{(number - 1) % 24 + 1 if number % 2 else number}"
        topic, at = TOPICS[number % len(TOPICS)], f"2020-01-{number // 24 + 1:02}T{number % 24:02}:00:00.000"
        if number % 2 and number > 24:
            pairs.append((number, number - 24))
        rows.append(
            f'<row Id="{number}" PostTypeId="1" CreationDate="{at}" Score="1" ViewCount="1" OwnerUserId="1" '
            f'Body="&lt;p&gt;What about {topic} and {word} today?&lt;/p&gt;" Title="About {topic} {word}" '
            f'Tags="&lt;{topic}&gt;" AnswerCount="0" CommentCount="0" />'
        )
    _write(folder / "Posts.xml", "posts", rows)
    if links:
        found = [
            f'<row Id="{one}" CreationDate="2020-01-20T00:00:00.000" PostId="{one}" RelatedPostId="{other}" '
            'LinkTypeId="3" />'
            for one, other in pairs
        ]
        _write(folder / "PostLinks.xml", "postlinks", found)
    return folder


def _write(path: Path, name: str, rows: list[str]) -> None:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<{name}>", *(f"  {row}" for row in rows), f"</{name}>"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def duplicate_run(spark: SparkSession, pytestconfig: pytest.Config) -> GoldenRun:
    """A published run of four systems, one of which learns where to cut its rankings."""

    def make(folder: Path) -> None:
        here = ["--input", str(write_site(folder / SITE)), "--lake", str(folder / "lake")]
        systems = ["--systems", "retrieval_order", "no_duplicates", "bm25_order", "fused_e"]
        chosen = ["--config", "conf/duplicates.yaml", "--baseline", "retrieval_order", "--evaluation.resamples", "99"]
        assert main(["run", *chosen, *here, *systems]) == 0

    assert pytestconfig.cache is not None
    return GoldenRun.at(made_once(pytestconfig.cache, "duplicate", make), spark)
