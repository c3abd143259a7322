"""A site on which no question has two answers yet: its nights have findings, and nothing to rank."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html
from pyspark.sql import SparkSession
from two_nights import night

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.findings import FINDING_WORTH, FINDINGS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.steps.export_manifest import MANIFEST
from cqa_spark.synth.stackexchange.dump import write_dump

pytestmark = pytest.mark.slow


@pytest.fixture
def dump_with(tmp_path: Path) -> Callable[[int], Path]:
    """A dump whose questions have their first answers, and some further answers."""
    full = write_dump(tmp_path / "full", site="young.example.org", threads=24, seed=1, workers=1).folder
    lines = (full / "Posts.xml").read_text(encoding="utf-8").splitlines()
    parents = [parent[1] if (parent := re.search(r'ParentId="(\d+)"', line)) else None for line in lines]
    later = [row for row, parent in enumerate(parents) if parent is not None and parent in parents[:row]]

    def dump(further: int) -> Path:
        folder = tmp_path / f"{further} further" / full.name
        shutil.copytree(full, folder)
        left_out = {*later[further:]}
        kept = [line for row, line in enumerate(lines) if row not in left_out]
        (folder / "Posts.xml").write_text("\n".join(kept), encoding="utf-8")
        return folder.parent

    assert len(later) > 6
    return dump


def test_a_site_has_nights_before_and_after_its_first_second_answer(
    spark: SparkSession, dump_with: Callable[[int], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake, young = Lake(spark, str(tmp_path / "lake")), dump_with(0)
    assert main(night(lake.root, young, "r1", "--no-tracking.enabled")) == 0
    published = published_snapshot(lake)
    assert (published.record.run_id, published.rows(RANKINGS)) == ("r1", 0)
    assert published.rows(POSTS) > 24
    assert {row["kind"] for row in published.read(FINDINGS).collect()} <= {"related_question", "duplicate_question"}
    assert {entry["kind"] for entry in published.entries(FINDING_WORTH)} == {
        "confident_disagreement", "contradicted_acceptance", "duplicate_question", "late_answer", "related_question",
    }  # fmt: skip
    page = html.document_fromstring(Path(published.record.artifacts["report"]).read_text(encoding="utf-8"))
    assert "No question has two answers yet" in page.get_element_by_id("night-worth").text_content()
    assert page.find(".//*[@id='scores']") is None
    index = html.document_fromstring((tmp_path / "lake" / "index.html").read_text(encoding="utf-8"))
    assert index.get_element_by_id("find").get("hidden") is not None
    assert index.get_element_by_id("note").text == "No thread is ranked."
    assert main(["export", "published", "--lake", lake.root, "--output", str(tmp_path / "files")]) == 0
    assert '"files": []' in (tmp_path / "files" / MANIFEST).read_text(encoding="utf-8")

    assert main(night(lake.root, dump_with(6), "r2", "--no-tracking.enabled")) == 0
    assert published_snapshot(lake).rows(RANKINGS) > 0

    capsys.readouterr()
    assert main(night(lake.root, young, "r3", "--no-tracking.enabled")) == 7
    assert "examples" in capsys.readouterr().err
    assert published_snapshot(lake).record.run_id == "r2"
