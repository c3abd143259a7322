from pathlib import Path

import pytest

from cqa_spark.corpora.inputs import InputFile, find_inputs, refuse_repeated_paths
from cqa_spark.errors import ConfigError, InputError


def test_a_directory_stands_for_its_dumps_sorted_by_name(tmp_path: Path) -> None:
    for name in ("b.xml", "a.XML", "notes.txt"):
        (tmp_path / name).touch()
    assert find_inputs([tmp_path], "train") == [
        InputFile(str(tmp_path / "a.XML"), "train"),
        InputFile(str(tmp_path / "b.xml"), "train"),
    ]


def test_files_keep_the_order_given_and_need_no_suffix(tmp_path: Path) -> None:
    for name in ("b.xml", "a.dump"):
        (tmp_path / name).touch()
    found = find_inputs([tmp_path / "b.xml", tmp_path / "a.dump"], "dev")
    assert [Path(file.path).name for file in found] == ["b.xml", "a.dump"]


def test_an_address_of_storage_that_is_not_installed_is_refused() -> None:
    with pytest.raises(ConfigError, match="hdfs:// is not supported storage"):
        find_inputs(["hdfs://host/forum"], "unannotated")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file or directory: .*absent\.xml"):
        find_inputs([tmp_path / "absent.xml"], "train")


def test_a_directory_without_dumps_is_named(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").touch()
    with pytest.raises(InputError, match=r"no \*\.xml file in the directory"):
        find_inputs([tmp_path], "train")


def test_a_name_that_spark_would_skip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "_dev.xml").touch()
    with pytest.raises(InputError, match=r"Spark skips files such as .*_dev\.xml"):
        find_inputs([tmp_path / "_dev.xml"], "dev")


def test_a_file_named_twice_is_refused() -> None:
    with pytest.raises(InputError, match=r"more than once as input: a\.xml"):
        refuse_repeated_paths([InputFile("a.xml", "train"), InputFile("b.xml", "train"), InputFile("a.xml", "dev")])
