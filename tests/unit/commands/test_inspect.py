import pytest

from cqa_spark.commands.compare_runs import CompareRunsSettings
from cqa_spark.commands.inspect import InspectSettings
from cqa_spark.commands.jobs import job_settings
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.yaml import SettingsError


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
    return resolve("cqa inspect", InspectSettings, arguments, {}, job_settings).settings


def problems(*arguments):
    with pytest.raises(SettingsError) as caught:
        resolve("cqa inspect", InspectSettings, arguments, {}, job_settings)
    return [str(problem) for problem in caught.value.problems]


def test_the_lake_is_given_as_in_other_commands():
    given = settings("--lake", "lake")
    assert (given.lake, given.run_id, given.format, given.page) == ("lake", None, "table", None)


def test_no_lake_at_all():
    assert "is not set" in problems()[0]


def test_what_would_be_read_and_written():
    given = settings("--lake", "lake", "--page", "out/r.html")
    assert given.reads() == ["lake: tables of run (published)"]
    assert given.writes() == ["out/r.html"]


@pytest.mark.parametrize(
    ("runs", "read"),
    [(["a"], "lake: tables of the runs a, (published)"), (["a", "b", "c"], "lake: tables of the runs a, b, c")],
)
def test_one_to_three_runs_are_compared(runs, read):
    given = resolve("cqa runs compare", CompareRunsSettings, [*runs, "--lake", "lake"], {}, job_settings).settings
    assert given.reads() == [read]


@pytest.mark.parametrize(("runs", "told"), [([], "is not set"), (["a", "b", "c", "d"], "at most 3 items")])
def test_other_numbers_of_runs_are_refused(runs, told):
    with pytest.raises(SettingsError, match=told):
        resolve("cqa runs compare", CompareRunsSettings, [*runs, "--lake", "lake"], {}, job_settings)
