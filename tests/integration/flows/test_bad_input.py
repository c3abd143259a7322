"""What a user does wrong: a clear message, an exit code of its own, nothing half-written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.storage import Lake
from cqa_spark.synth.qatar_living import SamplePaths

BOMB = """<?xml version="1.0"?>
<!DOCTYPE xml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<xml>
<Thread THREAD_SEQUENCE="Q77_R1"><RelQuestion RELQ_ID="Q77_R1"><RelQSubject>&c;</RelQSubject><RelQBody/></RelQuestion>
<RelComment RELC_ID="Q77_R1_C1"><RelCText>x</RelCText></RelComment></Thread>
<Thread THREAD_SEQUENCE="Q77_R2"><RelQuestion RELQ_ID="Q77_R2"><RelQSubject>&file;</RelQSubject><RelQBody/>
</RelQuestion>
<RelComment RELC_ID="Q77_R2_C1"><RelCText>x</RelCText></RelComment></Thread>
<Thread THREAD_SEQUENCE="Q77_R3"><RelQuestion RELQ_ID="Q77_R3"><RelQSubject>fine</RelQSubject><RelQBody/></RelQuestion>
<RelComment RELC_ID="Q77_R3_C1"><RelCText>fine</RelCText></RelComment></Thread>
</xml>
"""


@pytest.fixture
def rank(sample: SamplePaths, tmp_path: Path) -> Callable[..., int]:
    """Rank a file by its given order, within a lake that can be looked into."""

    def rank_file(path: Path, *more: str) -> int:
        return main(
            [
                "rank",
                "--system",
                "given_order",
                "--train",
                str(sample.train),
                "--input",
                str(path),
                "--lake",
                str(tmp_path / "lake"),
                "--run-id",
                "r1",
                "--predictions",
                str(tmp_path / "out.pred"),
                *more,
            ]
        )

    return rank_file


def test_a_missing_file(rank: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rank(tmp_path / "absent.xml") == 2
    assert "absent.xml" in capsys.readouterr().err
    assert not (tmp_path / "lake").exists()


def test_a_folder_without_dumps(rank: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert rank(tmp_path / "empty") == 3
    assert "no *.xml file" in capsys.readouterr().err
    assert not (tmp_path / "lake").exists()


def test_a_file_that_ends_inside_a_thread(
    spark: SparkSession,
    rank: Callable[..., int],
    sample: SamplePaths,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = sample.unlabelled.read_text()
    cut = tmp_path / "cut.xml"
    cut.write_text(whole[: whole.rindex("</RelComment>")])
    assert rank(cut) == 0
    (refused,) = _quarantine(spark, tmp_path, cut)
    assert "ends inside a thread" in refused
    shown = capsys.readouterr().err
    assert refused in shown
    assert f"→ the table quarantine of {tmp_path}/lake; cqa inspect {tmp_path}/lake --run-id r1" in shown
    ranked = {line.split("\t")[0] for line in (tmp_path / "out.pred").read_text().splitlines()}
    assert len(ranked) == whole.count("<Thread ") - 1


def test_a_bomb_and_an_external_entity(spark: SparkSession, rank: Callable[..., int], tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.xml"
    bomb.write_text(BOMB)
    assert rank(bomb) == 0
    reasons = _quarantine(spark, tmp_path, bomb)
    assert len(reasons) == 2
    assert all("entit" in reason for reason in reasons)
    assert [line.split("\t")[1] for line in (tmp_path / "out.pred").read_text().splitlines()] == ["Q77_R3_C1"]


def test_a_file_without_anything_to_rank(
    rank: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    garbage = tmp_path / "garbage.xml"
    garbage.write_text("<xml></xml>")
    assert rank(garbage) == 3
    assert "garbage.xml contains no thread" in capsys.readouterr().err
    assert not (tmp_path / "out.pred").exists()


def test_a_lake_that_cannot_be_written(
    rank: Callable[..., int], sample: SamplePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lake").write_text("in the way")
    assert rank(sample.unlabelled) == 4
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.slow
def test_training_on_what_is_measured(
    sample: SamplePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str], spark: SparkSession
) -> None:
    copy = tmp_path / "copy.xml"
    copy.write_text(sample.dev.read_text().replace('ID="Q', 'ID="Q9').replace('SEQUENCE="Q', 'SEQUENCE="Q9'))
    arguments = [
        "run",
        "--lake",
        str(tmp_path / "lake"),
        "--run-id",
        "r1",
        "--train",
        str(copy),
        "--dev",
        str(sample.dev),
        "--systems",
        "given_order",
        "--no-tracking.enabled",
        "--evaluation.resamples",
        "9",
    ]
    assert main(arguments) == 3
    assert "both in the training and in the evaluation data" in capsys.readouterr().err
    log = RunLog(Lake(spark, str(tmp_path / "lake")).objects)
    assert [record.status for record in log.records("r1")] == ["running", "failed"]
    assert main([*arguments, "--allow-shared-threads"]) == 0


def _quarantine(spark: SparkSession, folder: Path, path: Path) -> list[str]:
    lake = Lake(spark, str(folder / "lake"))
    version = RunLog(lake.objects).require_success("r1").table_versions["quarantine"]
    rows = lake.read(QUARANTINE, version).collect()
    return [row["reason"] for row in rows if row["source_file"].endswith(path.name)]
