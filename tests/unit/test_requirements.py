"""What a machine may lack skips tests, and fails them where it is required, as in continuous integration."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from requirements import KINDS, lacking

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_test_is_skipped_unless_its_kind_is_required(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for required, outcome in (
        ("", pytest.skip.Exception),
        (" ".join(other for other in KINDS if other != kind), pytest.skip.Exception),
        (kind, pytest.fail.Exception),
        (" ".join(KINDS), pytest.fail.Exception),
    ):
        monkeypatch.setenv("CQA_REQUIRE", required)
        with pytest.raises(outcome, match="nothing is here"):
            lacking(kind, "nothing is here")
    monkeypatch.setenv("CQA_REQUIRE", "s4")
    with pytest.raises(AssertionError, match="CQA_REQUIRE holds some of"):
        lacking(kind, "nothing is here")


def test_continuous_integration_requires_all_kinds() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(kind in text for kind in KINDS)
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)


@pytest.mark.parametrize(
    ("required", "status", "line"),
    [
        ("", 0, "SKIPPED [1] tests/unit/evaluation/files/test_semeval.py:"),
        ("data", 1, "ERROR tests/unit/evaluation/files/test_semeval.py::"),
    ],
)
def test_absent_data_is_named_at_the_end(required: str, status: int, line: str, tmp_path: Path) -> None:
    test = "tests/unit/evaluation/files/test_semeval.py::test_exchanged_files_of_the_campaign_are_noticed"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", test],
        cwd=ROOT,
        env={**os.environ, "CQA_DATA": str(tmp_path / "absent"), "CQA_REQUIRE": required},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout
    assert line in done.stdout.partition("short test summary info")[2]
    assert "needs the research data, and" in done.stdout
