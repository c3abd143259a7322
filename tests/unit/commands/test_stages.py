"""A dry run prints the steps that the job runs now, whatever the lake and the input are."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import py7zr
import pytest

from cqa_spark.cli import main
from cqa_spark.commands.stages import EvaluateSettings, evaluate_flow
from cqa_spark.corpora.stackexchange import ingest as stackexchange
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.errors import ConfigError
from cqa_spark.features import feature_table
from cqa_spark.lake.pointer import change_pointer, claim
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.object_store.folder import Folder
from cqa_spark.runtime import workspace
from cqa_spark.runtime.flow import Flow
from cqa_spark.synth.stackexchange.dump import write_dump

NIGHT = ["nightly", "--lake", "lake", "--input"]
STAGE = ["--lake", "lake", "--run-id", "r1"]
COMMANDS = {
    "a first night": ["nightly", "--lake", "new", "--input", "dump"],
    "a later night": [*NIGHT, "dump"],
    "a later night, in full": [*NIGHT, "dump", "--full", "--no-pages"],
    "a night of a system without a shipped model": [*NIGHT, "dump", "--system", "metadata_boosted_asof"],
    "a night that trains on files before": [*NIGHT, "file.xml", "--system", "logistic_a", "--train", "file.xml"],
    "duplicates": [
        "duplicates",
        "--lake",
        "new",
        "--input",
        "dump",
        "--systems",
        "fused_e",
        "retrieval_order",
        "--baseline",
        "retrieval_order",
    ],
    "train nights": ["train", "nights", "--input", "dump", "--system", "night_answers", "--model", "model"],
    "ingest": ["ingest", "--lake", "new", "--train", "file.xml"],
    "ingest of two dumps of a site": ["ingest", "stackexchange", "--lake", "new", "--input", "dump", "dump2"],
    "ingest tables": ["ingest", "tables", "--lake", "new", "--site", "a", "--posts", "posts.csv"],
    "pair": ["pair", *STAGE],
    "featurize": ["featurize", *STAGE, "--systems", "best_a"],
    "train": ["train", *STAGE, "--systems", "logistic_a"],
    "train on files": ["train", "--train", "file.xml", "--system", "best_c", "--model", "model"],
    "score": ["score", *STAGE, "--systems", "logistic_a"],
    "evaluate": ["evaluate", *STAGE, "--baseline", "logistic_a"],
    "report": ["report", *STAGE],
    "audit": ["features", "audit", *STAGE],
}


class Ran(Exception):
    """The job has run its last flow."""


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lake with a published night, and inputs."""
    monkeypatch.chdir(tmp_path)
    for name in ("file.xml", "posts.csv"):
        (tmp_path / name).write_text("post_id\n")
    for seed, folder in enumerate(("dump", "dump2")):
        write_dump(tmp_path / folder, site="beer.example.org", threads=3, seed=seed, workers=1)
    objects = Folder(str(tmp_path / "lake"))
    tables = (
        "posts", "comments", "users", "judgments", "examples", "documents", "texts", "groups", "features", "rankings",
        "metrics", "query_metrics", "comparisons",
    )  # fmt: skip
    begun = RunRecord(
        "r1", "succeeded", "nightly", config_hash="c0ffee", config="", code_version="0", corpus="stackexchange",
        tables=dict.fromkeys(tables, 1), artifacts={"model/logistic_a": "m"},
    )  # fmt: skip
    published = RunLog(objects).append(begun)
    claim(objects, 1)
    change_pointer(objects, 1, lambda pointer: pointer.publishing(published))


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_dry_run_prints_the_steps_that_run(
    arguments: list[str], lake: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--dry-run"]) == 0
    _, *printed = capsys.readouterr().out.split("steps:\n")
    flows: list[Flow] = []

    def run(*given: Any, **_: Any) -> SimpleNamespace:
        flows.append(next(value for value in given if isinstance(value, Flow)))
        if len(flows) == len(printed):
            raise Ran
        return SimpleNamespace(record=SimpleNamespace(artifacts={"model/logistic_a": "m"}))

    for name in ("run_flow", "run_flow_in"):
        monkeypatch.setattr(workspace, name, run)
    monkeypatch.setattr(feature_table, "stored_groups", lambda snapshot: [])
    assert main(arguments) == 1
    assert "Ran" in capsys.readouterr().err
    assert [flow.draw() for flow in flows] == [steps.rstrip("\n") for steps in printed]
    assert flows


@pytest.mark.parametrize("command", [["ingest", "stackexchange"], ["nightly"]])
def test_a_dry_run_unpacks_no_archive(command: list[str], lake: None, capsys: pytest.CaptureFixture[str]) -> None:
    with py7zr.SevenZipFile("beer.example.org.7z", "w") as archive:
        archive.write("dump/beer.example.org/Posts.xml", "Posts.xml")
    before = sorted(Path().rglob("*"))
    assert main([*command, "--lake", "new", "--input", "beer.example.org.7z", "--dry-run"]) == 0
    assert sorted(Path().rglob("*")) == before
    assert "unpacked by the job" in capsys.readouterr().err


def test_the_dumps_of_a_job_are_found_once(lake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []

    def find(paths: Any, *more: Any) -> Any:
        searched.append(paths)
        return find_dump_files(paths, *more)

    monkeypatch.setattr(stackexchange, "find_dump_files", find)
    monkeypatch.setattr(workspace, "run_flow_in", lambda lake, flow, settings: None)
    assert main(["ingest", "stackexchange", "--lake", "new", "--input", "dump", "dump2"]) == 0
    assert searched == [("dump", "dump2")]


def test_a_baseline_that_the_run_lacks_is_refused_before_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    present = frozenset({"examples", "rankings", "posts", "model/best_a", "model/length"})
    monkeypatch.setattr(workspace, "existing_products", lambda settings: present)
    with pytest.raises(ConfigError) as refused:
        evaluate_flow(EvaluateSettings(lake="lake", run_id="r1"))
    assert refused.value.problem == "baseline: run r1 has no system given_order"
    assert refused.value.remedy == "name one of best_a, length with --baseline"
    assert evaluate_flow(EvaluateSettings(lake="lake", run_id="r1", baseline="length")).name == "evaluate"
