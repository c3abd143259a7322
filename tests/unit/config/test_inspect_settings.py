import pytest

from cqa_spark.config.inspect_settings import InspectSettings
from cqa_spark.config.problems import SettingsError
from cqa_spark.config.resolve import resolve


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "base.yaml").write_text("", encoding="utf-8")
    (tmp_path / "lake").mkdir()
    return tmp_path


def settings(*arguments):
    return resolve("cqa inspect", InspectSettings, arguments, {}).settings


def problems(*arguments):
    with pytest.raises(SettingsError) as caught:
        resolve("cqa inspect", InspectSettings, arguments, {})
    return [str(problem) for problem in caught.value.problems]


def test_the_lake_is_given_by_its_place():
    given = settings("lake")
    assert (given.lake, given.run_id, given.format, given.page, given.diff) == ("lake", None, "table", None, ())


def test_no_lake_at_all():
    assert "is not set" in problems()[0]


@pytest.mark.parametrize("runs", [["a"], ["a", "b"]])
def test_one_or_two_runs_are_compared(runs):
    assert settings("lake", "--diff", *runs).diff == tuple(runs)


def test_three_runs_are_refused():
    assert "at most 2 items" in problems("lake", "--diff", "a", "b", "c")[0]


def test_two_runs_to_compare_leave_none_to_look_at():
    assert "--diff already names two runs" in problems("lake", "--diff", "a", "b", "--run-id", "c")[0]
    assert settings("lake", "--diff", "a", "--run-id", "c").run_id == "c"


def test_what_would_be_read_and_written():
    given = settings("lake", "--diff", "a")
    assert given.reads() == ["lake: tables of run a", "lake: tables of run (published)"]
    assert given.writes() == []
    assert settings("lake", "--page", "out/r.html").writes() == ["out/r.html"]
