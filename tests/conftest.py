"""Fixtures of all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def cqa_data() -> Path:
    """The folder with the public research data, which is not part of the repository."""
    folder = Path(os.environ.get("CQA_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the research data, and {folder} is absent: set CQA_DATA to its folder")
    return folder
