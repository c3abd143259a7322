"""``import cqa_spark as cqa``: what it offers, and what it costs."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from small_runs import METRIC, write_published_metrics

import cqa_spark as cqa
from cqa_spark.errors import ConfigError, InputError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}


@pytest.fixture
def lake(tmp_path: Path) -> cqa.Lake:
    """A lake with a published run, which has metrics, and a failed one."""
    write_published_metrics(tmp_path)
    return cqa.open_lake(str(tmp_path))


def test_importing_it_imports_nothing_else() -> None:
    code = "import sys, cqa_spark; print(sorted(m for m in sys.modules if m.startswith(('cqa_spark.', 'py', 'num'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cqa_spark." not in done.stdout
    assert "pyspark" not in done.stdout
    assert "numpy" not in done.stdout


def test_it_offers_what_it_names() -> None:
    assert {name: getattr(cqa, name) is not None for name in cqa.__all__} == dict.fromkeys(cqa.__all__, True)
    assert set(cqa.__all__) <= set(dir(cqa))
    with pytest.raises(AttributeError, match="no attribute 'sort'"):
        _ = cqa.sort


def test_runs_and_metrics_are_read_without_spark(lake: cqa.Lake) -> None:
    runs = lake.runs().to_pandas()
    assert runs[["run_id", "status", "published", "message"]].to_numpy().tolist() == [
        ["monday", "succeeded", True, None],
        ["tuesday", "failed", False, "no disk"],
    ]
    run = lake.run()
    assert (run.run_id, run.tables) == ("monday", ("metrics",))
    assert run.metrics().to_arrow().to_pylist() == [{"run_id": "monday"} | METRIC]
    assert run.metrics().to_arrow().schema.field("queries").type == pa.int32()


def test_what_is_absent_is_named(lake: cqa.Lake, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run tuesday has succeeded"):
        lake.run("tuesday")
    with pytest.raises(InputError, match="run monday has no table rankings"):
        lake.run().rankings()
    with pytest.raises(ConfigError, match="there is no lake"):
        cqa.open_lake(str(tmp_path / "absent"))


def test_rankings_in_memory_are_measured() -> None:
    run = {"q1": {"a": 0.2, "b": 0.7}, "q2": {"b": 0.1}}
    assert cqa.evaluate(QRELS, run, ["MRR@10", "P@1"]) == {"MRR@10": 0.75, "P@1": 0.5}
    with pytest.raises(InputError, match="no query in common"):
        cqa.evaluate(QRELS, {"q3": {"a": 1.0}})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_refused_as_in_files(number: float) -> None:
    run = {"q1": {"a": 0.2, "b": number}}
    with pytest.raises(InputError, match=f"score {number} of document b of query q1 is not a finite number"):
        cqa.evaluate(QRELS, run)
    with pytest.raises(InputError, match=f"score {number} of document b of query q1 is not a finite number"):
        cqa.compare(QRELS, {"old": QRELS, "new": run})
    with pytest.raises(InputError, match=f"grade {number} of document b of query q1 is not a finite number"):
        cqa.evaluate(run, QRELS)


def test_queries_without_a_ranking_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    cqa.compare(QRELS, {"old": QRELS, "new": {"q2": {"a": 1.0}}}, ["P@1"], resamples=9)
    assert caplog.messages == [
        "new: has no ranking for 1 of 2 queries of the judgments, which count 0; means go over 2: q1"
    ]


def test_rankings_are_compared_with_the_first(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n")
    runs = {"old": {"q1": {"a": 0.2, "b": 0.7}, "q2": {"b": 0.1}}, "new": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}
    found = cqa.compare(tmp_path / "qrels", runs, ["MRR@10"], resamples=99)
    assert found[["measure", "run", "queries", "value", "difference"]].to_numpy().tolist() == [
        ["MRR@10", "old", 2, 0.75, 0.0],
        ["MRR@10", "new", 2, 1.0, 0.25],
    ]


def test_a_job_is_planned_without_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build" / "sample").mkdir(parents=True)
    for name in ("train.xml", "dev.xml"):
        (tmp_path / "build" / "sample" / name).touch()
    job = cqa.job("run", config="conf/demo.yaml", lake="build/lake", systems=["given_order"], evaluation={"seed": 3})
    assert job.settings["systems"] == ["given_order"]
    assert job.settings["evaluation"]["seed"] == 3
    assert job.settings["publish"] is True
    assert cqa.job("run", config="conf/demo.yaml", lake="l", publish=False).settings["publish"] is False
    settings, _, steps = job.plan().partition("steps:")
    assert "build/sample/train.xml" in settings
    assert steps.split()[0] == "ingest"
    assert "publish" in steps


def test_mistakes_of_a_job_name_what_is_known() -> None:
    with pytest.raises(ConfigError, match="unknown job 'nighty'") as unknown:
        cqa.job("nighty")
    assert "nightly" in unknown.value.remedy
    with pytest.raises(ConfigError, match="unknown setting sytems"):
        cqa.job("run", sytems=["random"])
    with pytest.raises(ConfigError, match="systems"):
        cqa.job("run", lake="build/lake", systems=["no_such_system"], train="train.xml")


def test_a_job_without_a_lake_runs_and_returns_no_run(tmp_path: Path) -> None:
    sample = cqa.job("synth qatar-living", output=tmp_path / "sample", threads=2, dev_threads=1)
    assert sample.run() is None
    assert (tmp_path / "sample" / "train.xml").is_file()
