"""What ingestion records of a source, and the counts that it does not accept."""

from pathlib import Path

import pytest
from small_runs import lake_at, opened, put_users

from cqa_spark.corpora.source import Source
from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.workspace import code_version
from cqa_spark.steps.ingest import Ingest


class Letters(Source):
    """A text file whose letters are the users of site a.

    Args:
        path: of the file.
        lost: number of letters that do not become users, although nothing says so.
    """

    tables = (USERS, INGESTED_FILES)

    def __init__(self, path: Path, lost: int = 0) -> None:
        self.path, self.lost = path, lost

    def find(self) -> None:
        if not self.path.exists():
            raise InputError(f"no file {self.path.name}", "name another one")

    def bytes_to_read(self, last: Snapshot | None, code_version_: str) -> int | None:
        assert (last, code_version_) == (None, code_version())
        return self.path.stat().st_size

    def ingest(self, run: Run) -> None:
        letters = self.path.read_text(encoding="ascii")
        put_users(run, a=letters[self.lost :])
        counts = {"rows_in": len(letters), "rows_out": len(letters) - self.lost, "rows_quarantined": 0}
        absent = dict.fromkeys(("table_name", "lines", "not_rows", "is_complete", "rows_forgotten"))
        file = {"site": "a", "source_file": self.path.name, "split": "train"}
        run.write_entries(INGESTED_FILES, [{**file, **absent, **counts}])


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    (tmp_path / "letters.txt").write_text("xyz", encoding="ascii")
    return tmp_path / "letters.txt"


def test_the_run_is_about_the_format_and_has_the_tables_of_the_source(letters: Path, tmp_path: Path) -> None:
    step = Ingest(Letters(letters), "letters")
    step.prepare()
    assert step.writes() == (USERS, INGESTED_FILES)
    assert step.input_bytes() == 3
    with opened(lake_at(tmp_path / "lake"), "r1") as run:
        step.execute(run, StepRecord("ingest"))
        assert run.record.corpus == "letters"
        assert run.rows(USERS) == 3


def test_lost_records_end_the_run(letters: Path, tmp_path: Path) -> None:
    lake = lake_at(tmp_path / "lake")
    with (
        pytest.raises(ContractError, match=r"record counts disagree: letters.txt: 3 in, 2 out"),
        opened(lake, "r1") as run,
    ):
        Ingest(Letters(letters, lost=1), "letters").execute(run, StepRecord("ingest"))


def test_a_file_that_is_not_there_is_noticed_before_spark_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file absent.txt"):
        Ingest(Letters(tmp_path / "absent.txt"), "letters").prepare()
