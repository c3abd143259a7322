"""The notebook on one's own dump runs from the wheel, in an empty folder, and shows what it was saved with."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the notebooks need nbclient: make setup installs it")

DOCS = Path(__file__).resolve().parents[3] / "docs"
CHECKS = """
from pathlib import Path

assert "site-packages" in cqa.__file__
first = rankings[(rankings["query_id"] == question) & (rankings["rank"] == 1)]
assert first["candidate_id"].tolist() == [explained.candidates[0][0]]
assert list(Path("build/lake/runs").glob("*/report.html"))
"""
RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")

pytestmark = pytest.mark.slow


def _shown(notebook: object) -> list[str]:
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return [RUN_ID.sub("RUN", text) for text in texts]


def test_the_notebook_shows_what_it_was_saved_with(installed: Callable[..., str], tmp_path: Path) -> None:
    saved = nbformat.read(DOCS / "notebooks" / "your-own-dump.ipynb", as_version=4)
    again = nbformat.from_dict(saved | {"cells": [*saved.cells, nbformat.v4.new_code_cell(CHECKS)]})
    copy = tmp_path / "copy.ipynb"
    nbformat.write(again, copy)
    installed("python", "-m", "generators.notebooks", str(copy), PYTHONPATH=str(DOCS))
    assert _shown(nbformat.read(copy, as_version=4)) == _shown(saved)
    assert len(_shown(saved)) == 5
