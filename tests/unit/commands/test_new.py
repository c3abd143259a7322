"""What ``cqa new`` writes works as it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.commands.new import GROUPS
from cqa_spark.settings.conf_files import OVERLAY
from cqa_spark.systems.system import read_system


@pytest.mark.parametrize("kind", sorted(GROUPS.keys() - {"task"}))
def test_a_package_is_written_with_a_test_that_passes(kind: str, tmp_path: Path) -> None:
    assert main(["new", kind, "coin_toss", "--output", str(tmp_path)]) == 0
    package = tmp_path / "coin_toss"
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_coin_toss.py"]
    done = subprocess.run(test, cwd=package, env=os.environ | {"PYTHONPATH": "."}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_a_recipe_is_written_that_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["new", "recipe", "mine", "--output", str(tmp_path)]) == 0
    monkeypatch.setenv(OVERLAY, str(tmp_path / "mine.yaml"))
    assert read_system("mine").ranker.name == "logistic_regression"


def test_nothing_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text("")
    assert main(["new", "recipe", "mine", "--output", str(tmp_path)]) == 3
    assert "mine.yaml exists" in capsys.readouterr().err
