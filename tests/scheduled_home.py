"""A checkout for tests of schedulers, whose script notes what it was told."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for a checkout: its spark-submit.sh notes what it was told, and ends with the next of the wanted codes."""
    script = tmp_path / "spark-submit.sh"
    script.write_text(
        f'#!/bin/sh\ncd {tmp_path}\nprintf "%s\\n" "$*" >> calls\nexit $(sed -n "$(wc -l < calls)p" exit_codes)\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    return tmp_path
