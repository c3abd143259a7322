"""The notebook on one's own dump runs from the wheel, in an empty folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the notebooks need nbclient: make setup installs it")

NOTEBOOK = Path(__file__).resolve().parents[3] / "docs" / "notebooks" / "your-own-dump.ipynb"
CHECKS = """
from pathlib import Path

assert "site-packages" in cqa.__file__
first = rankings[(rankings["query_id"] == question) & (rankings["rank"] == 1)]
assert first["candidate_id"].tolist() == [explained.candidates[0][0]]
assert list(Path("build/lake/runs").glob("*/report.html"))
"""

pytestmark = pytest.mark.slow


def test_the_notebook_ranks_and_explains_a_dump(installed: Callable[..., str]) -> None:
    cells = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    quick = "\n".join(cells).replace("threads=400", "threads=100")
    assert "accepted: " in installed("python", "-c", quick + CHECKS)
