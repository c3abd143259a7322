"""What a user does wrong: a clear message, an exit code of its own, nothing half-written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.snapshot import snapshot_of
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

    def rank_file(path: Path, *more: str, train: Path = sample.dev) -> int:
        files = ["--train", str(train), "--input", str(path), "--predictions", str(tmp_path / "out.pred")]
        lake = ["--lake", str(tmp_path / "lake"), "--run-id", "r1"]
        return main(["rank", "--system", "given_order", *files, *lake, *more])

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


def test_files_that_end_inside_a_thread_or_hold_a_bomb_and_an_external_entity(
    spark: SparkSession,
    rank: Callable[..., int],
    sample: SamplePaths,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = sample.unlabelled.read_text()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "cut.xml").write_text(whole[: whole.rindex("</RelComment>")])
    (tmp_path / "in" / "bomb.xml").write_text(BOMB)
    assert rank(tmp_path / "in") == 0
    shown = capsys.readouterr().err
    quarantined = _quarantine(spark, tmp_path)
    assert sorted(name for name, _ in quarantined) == ["bomb.xml", "bomb.xml", "cut.xml"]
    (refused,) = (reason for name, reason in quarantined if name == "cut.xml")
    assert "ends inside a thread" in refused
    assert refused in shown
    assert f"→ the table quarantine of {tmp_path}/lake; cqa inspect --lake {tmp_path}/lake --run-id r1" in shown
    assert ["entit" in reason for name, reason in quarantined if name == "bomb.xml"] == [True, True]
    ranked = [line.split("\t")[:2] for line in (tmp_path / "out.pred").read_text().splitlines()]
    assert [candidate for query, candidate in ranked if query.startswith("Q77")] == ["Q77_R3_C1"]
    assert len({query for query, _ in ranked}) == 1 + whole.count("<Thread ") - 1


def test_a_file_without_anything_to_rank(
    rank: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    garbage = tmp_path / "garbage.xml"
    garbage.write_text("<xml></xml>")
    assert rank(garbage) == 3
    assert "garbage.xml contains no thread" in capsys.readouterr().err
    assert not (tmp_path / "out.pred").exists()


def test_a_lake_that_is_a_file(
    rank: Callable[..., int], sample: SamplePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lake").write_text("in the way")
    assert rank(sample.unlabelled) == 2
    assert "lake is a file" in capsys.readouterr().err


def test_training_on_what_is_measured(
    spark: SparkSession, sample: SamplePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.xml"
    copy.write_text(sample.dev.read_text().replace('ID="Q', 'ID="Q9').replace('SEQUENCE="Q', 'SEQUENCE="Q9'))
    here = ["--lake", str(tmp_path / "lake"), "--run-id", "r1"]
    assert main(["ingest", *here, "--train", str(copy), "--dev", str(sample.dev)]) == 0
    assert main(["pair", *here]) == 3
    assert "both in the training and in the evaluation data" in capsys.readouterr().err
    log = RunLog(Lake(spark, str(tmp_path / "lake")).objects)
    assert [record.status for record in log.records("r1")] == ["running", "succeeded", "running", "failed"]
    assert main(["pair", *here, "--allow-shared-threads"]) == 0
    assert log.require_success("r1").steps[-1].step == "pair"


def _quarantine(spark: SparkSession, folder: Path) -> list[tuple[str, str]]:
    """File and reason of every refused record of the run."""
    rows = snapshot_of(Lake(spark, str(folder / "lake")), "r1").read(QUARANTINE).collect()
    return [(Path(row["source_file"]).name, row["reason"]) for row in rows]
