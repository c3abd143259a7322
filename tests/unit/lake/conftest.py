"""An empty lake, its objects, and a clock."""

from pathlib import Path

import pytest
from attacked_lakes import Clock
from small_runs import lake_at

from cqa_spark.lake.lake import Lake
from cqa_spark.object_store.folder import Folder


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return lake_at(tmp_path / "lake")


@pytest.fixture
def store(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path / "lake"))


@pytest.fixture
def clock() -> Clock:
    return Clock()
