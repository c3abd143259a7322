"""Every script that takes options explains them."""

import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"


@pytest.mark.parametrize("script", ["emr/create-cluster", "emr/submit"])
def test_help_names_the_script_and_what_it_takes(script: str) -> None:
    answer = subprocess.run([DEPLOY / script, "--help"], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith(f"usage: deploy/{script} [--dry-run] ")
    assert max(map(len, answer.stdout.splitlines())) <= 120
