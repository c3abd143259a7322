"""What the tests of scripts share."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"


@pytest.fixture
def resolved() -> Callable[..., list[str]]:
    """The command that a script of `deploy/` would run."""

    def resolve(script: str, *arguments: str) -> list[str]:
        answer = subprocess.run([DEPLOY / script, "--dry-run", *arguments], capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stderr
        return shlex.split(answer.stdout)

    return resolve


@pytest.fixture
def refused() -> Callable[..., str]:
    """What a script of `deploy/` says to a mistake."""

    def refuse(script: str, *arguments: str) -> str:
        answer = subprocess.run([DEPLOY / script, *arguments], capture_output=True, text=True, check=False)
        assert (answer.returncode, answer.stdout) == (2, "")
        return answer.stderr

    return refuse
