"""A folder of settings or data that cannot be listed is no empty one."""

import errno
import os
from pathlib import Path

import pytest

from cqa_spark.settings import research_data
from cqa_spark.settings.yaml import named_files


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
def test_a_folder_of_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    (tmp_path / "b.yaml").touch()
    (tmp_path / "a.yaml").touch()
    (tmp_path / "a.yml").touch()
    assert list(named_files(tmp_path).items()) == [("a", tmp_path / "a.yaml"), ("b", tmp_path / "b.yaml")]
    assert named_files(tmp_path / "absent") == named_files(tmp_path / "a.yml") == {}

    def fail(path: Path) -> list[str]:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(os, "listdir", fail)
    with pytest.raises(OSError, match=os.strerror(code)):
        named_files(tmp_path)


def test_a_folder_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(iter(research_data._described()))
    assert research_data.locate(tmp_path, path) == tmp_path / path

    def fail(folder: str) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", folder)

    monkeypatch.setattr(os, "scandir", fail)
    with pytest.raises(PermissionError):
        research_data.locate(tmp_path, path)
