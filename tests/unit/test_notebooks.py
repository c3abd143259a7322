"""The notebooks that need no Spark: they run, and show what they were saved with."""

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def _shown(notebook: object) -> list[str]:
    """The results of the cells, as text."""
    outputs = [each for cell in notebook.cells if cell.cell_type == "code" for each in cell.outputs]
    return [each["data"]["text/plain"] for each in outputs if each.output_type == "execute_result"]


@pytest.mark.parametrize("name", ["compare-two-systems", "write-a-feature-group"])
def test_a_notebook_shows_what_it_was_saved_with(name: str, tmp_path: Path) -> None:
    saved = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    again = nbformat.from_dict(saved)
    nbclient.NotebookClient(again, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert _shown(again) == _shown(saved)
    assert len(_shown(saved)) > 0
