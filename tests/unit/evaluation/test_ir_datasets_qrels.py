"""Judgments by an id of ir_datasets: a catalogue of two literal data sets takes its place."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import cqa_spark as cqa
from cqa_spark.cli import main
from cqa_spark.errors import ConfigError

ROWS = [("q1", "a", 2), ("q1", "b", 0), ("q2", "b", 1)]
CATALOGUE = {
    "garden/test": SimpleNamespace(
        has_qrels=lambda: True,
        qrels_iter=lambda: (SimpleNamespace(query_id=q, doc_id=d, relevance=gain) for q, d, gain in ROWS),
    ),
    "garden": SimpleNamespace(has_qrels=lambda: False),
}


def test_a_data_set_is_named_in_the_place_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=CATALOGUE.__getitem__))
    run = {"q1": {"a": 0.25, "b": 0.5}, "q2": {"b": 1.0}}
    assert cqa.evaluate("irds:garden/test", run, ["MRR@10"]) == {"MRR@10": 0.75}
    with pytest.raises(ConfigError, match="has no data set gardens"):
        cqa.evaluate("irds:gardens", run)
    with pytest.raises(ConfigError, match="irds:garden has no judgments"):
        cqa.evaluate("irds:garden", run)


def test_the_command_line_takes_an_id_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=CATALOGUE.__getitem__))
    run = tmp_path / "best.run"
    run.write_text("q1 Q0 b 1 0.5 best\nq1 Q0 a 2 0.25 best\nq2 Q0 b 1 1.0 best\n")
    assert main(["evaluate-file", "irds:garden/test", str(run), "--format", "json"]) == 0
    (scores,) = json.loads(capsys.readouterr().out)
    assert (scores["queries"], scores["MRR@10"]) == (2, 0.75)
    assert main(["evaluate-file", "irds:gardens", str(run)]) == ConfigError.exit_code
    assert "has no data set gardens" in capsys.readouterr().err


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ConfigError, match="ir_datasets is not installed") as refused:
        cqa.evaluate("irds:garden/test", {"q1": {"a": 1.0}})
    assert "pip install ir-datasets" in refused.value.remedy
