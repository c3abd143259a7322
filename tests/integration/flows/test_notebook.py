"""The notebook on one's own dump, in the session of the tests: a kernel of its own would start another Java."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

nbformat = pytest.importorskip("nbformat", reason="the notebooks need nbclient: make setup installs it")

NOTEBOOK = Path(__file__).resolve().parents[3] / "docs" / "notebooks" / "your-own-dump.ipynb"

pytestmark = pytest.mark.slow


def test_the_notebook_ranks_and_explains_a_dump(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            source = cell.source.replace('"build/', f'"{tmp_path}/build/')  # Java keeps the folder that it started in
            source = source.replace("threads=400", "threads=100")
            exec(compile(source, cell["id"], "exec"), names)
    rankings, explained = names["rankings"], names["explained"]
    first = rankings[(rankings["query_id"] == names["question"]) & (rankings["rank"] == 1)]
    assert first["candidate_id"].tolist() == [explained.candidates[0][0]]
    assert "accepted: " in capsys.readouterr().out
    assert list((tmp_path / "build" / "lake" / "runs").glob("*/report.html"))
