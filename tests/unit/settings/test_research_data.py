"""Research data: descriptions of packages, and where files lie in folders as archives unpack them."""

import re
from pathlib import Path

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.settings.conf_files import conf_files, project_root
from cqa_spark.settings.datasets import read_data_set
from cqa_spark.settings.research_data import DATA, data_folder, file_names, locate, read_package
from cqa_spark.settings.values import InputFile

DESCRIBED = [path for name in conf_files("data") for path in read_package(name).files]
PART_1 = "semeval2016-task3/train/SemEval2016-Task3-CQA-QL-train-part1.xml"
GOLD_A = "semeval2016-task3/test/SemEval2016-Task3-CQA-QL-test-subtaskA.xml.subtaskA.relevancy"


def test_every_file_of_a_data_set_and_of_the_settings_is_described() -> None:
    of_settings = {
        path
        for file in (project_root() / "conf").glob("*.yaml")
        for path in re.findall(rf"{DATA}(\S+)", file.read_text(encoding="utf-8"))
    }
    of_data_sets = {path for name in conf_files("datasets") for path in read_data_set(name).paths()}
    assert len(of_settings) == 50
    for used in of_settings | of_data_sets:
        assert any(f"{path}/".startswith(f"{used}/") for path in DESCRIBED), used


def test_no_file_of_the_project_points_outside_it() -> None:
    files = [path for folder in ("conf", "cqa_spark", "docs") for path in (project_root() / folder).rglob("*.*")]
    texts = {path: path.read_text(encoding="utf-8") for path in files if path.suffix in {".yaml", ".py", ".md"}}
    assert len(texts) > 500
    assert [str(path) for path, text in texts.items() if "../shared" in text] == []


@pytest.mark.parametrize(
    ("path", "lies_in"),
    [
        (PART_1, PART_1),
        (PART_1, "semeval2016-task3/train/train-part1-reconstructed.xml"),
        (PART_1, "semeval2016-task3-cqa-ql-traindev-v3.2/v3.2/train/SemEval2016-Task3-CQA-QL-train-part1.xml"),
        (GOLD_A, "SemEval2016_task3_submissions_and_scores/_gold/" + GOLD_A.rpartition("/")[2]),
        (GOLD_A, "semeval2016-task3/test/SemEval2016-Task3-CQA-QL-test.xml.subtaskA.relevancy"),
        ("semeval2017-task3/subtask-e/android_train.xml", "android_train_v1_2/stackexchange_android_train.xml"),
        ("sts/2016/headlines.input.tsv", "sts2016-english-with-gs-v1.0/STS2016.input.headlines.txt"),
        ("not/described.txt", "not/described.txt"),
    ],
)  # fmt: skip
def test_a_file_is_found_where_its_archive_unpacks_it(tmp_path: Path, path: str, lies_in: str) -> None:
    (tmp_path / lies_in).parent.mkdir(parents=True)
    (tmp_path / lies_in).touch()
    assert locate(tmp_path, path) == tmp_path / lies_in


def test_the_official_file_is_preferred_to_its_stand_in(tmp_path: Path) -> None:
    for name in ("train-part1-reconstructed.xml", "SemEval2016-Task3-CQA-QL-train-part1.xml"):
        (tmp_path / name).touch()
    assert locate(tmp_path, PART_1).name == "SemEval2016-Task3-CQA-QL-train-part1.xml"
    assert file_names(PART_1) == ["SemEval2016-Task3-CQA-QL-train-part1.xml", "train-part1-reconstructed.xml"]


@pytest.mark.parametrize("path", ["sts/2013/headlines.test.tsv", "not/described.txt"])
def test_a_file_of_another_year_or_an_undescribed_one_is_not_taken(tmp_path: Path, path: str) -> None:
    other = tmp_path / "elsewhere" / Path(path).name
    other.parent.mkdir()
    other.touch()
    assert locate(tmp_path, path) == tmp_path / path


def test_the_folder_is_that_of_the_environment_or_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CQA_DATA", "s3a://bucket/data")
    assert data_folder() == "s3a://bucket/data"
    monkeypatch.delenv("CQA_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert data_folder() == "/cache/cqa-spark/data"


def test_settings_name_files_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(InputFile)
    (tmp_path / "train-part1-reconstructed.xml").touch()
    monkeypatch.setenv("CQA_DATA", str(tmp_path))
    assert adapter.validate_python(f"data:{PART_1}") == str(tmp_path / "train-part1-reconstructed.xml")
    with pytest.raises(ValidationError, match=r"file not found: .*part2\.xml"):
        adapter.validate_python("data:semeval2016-task3/train/SemEval2016-Task3-CQA-QL-train-part2.xml")
    monkeypatch.setenv("CQA_DATA", "s3a://bucket/data/")
    assert adapter.validate_python("data:some/file") == "s3a://bucket/data/some/file"


def test_an_unknown_package_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown package of data semeval2016") as refused:
        read_package("semeval2016")
    assert refused.value.remedy.startswith("did you mean semeval2016_task3? known names: askubuntu, semeval2015_task3,")
