import errno
import os
from pathlib import Path

import pytest

from cqa_spark.corpora.source import file_source, refuse_dumps
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.tasks.formats import QatarLiving

STORAGE = ObjectStorageSettings()


def files(corpus: str) -> object:
    return file_source(corpus, {"train": ["train.xml"]}, site="qatarliving.com", storage=STORAGE)


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown source format usenet") as error:
        files("usenet")
    assert error.value.remedy == (
        "did you mean sts or question_list or stackexchange or semeval2017_e or question_pairs? cqa corpora list lists "
        "all 10 source formats"
    )


def test_a_format_of_dumps_is_none_of_annotated_files() -> None:
    with pytest.raises(ConfigError, match="stackexchange is a format of dumps") as error:
        files("stackexchange")
    assert (
        error.value.remedy
        == "formats of annotated files: cqa_md, qatar_living, question_pairs, semeval2017_e, sts, tables"
    )


def test_files_of_a_known_format_are_a_source() -> None:
    assert files("qatar_living") == QatarLiving({"train": ["train.xml"]}, "qatarliving.com", STORAGE)


def test_a_folder_with_a_table_of_a_dump_is_no_folder_of_annotated_files(tmp_path: Path) -> None:
    (tmp_path / "train.xml").touch()
    refuse_dumps("qatar_living", [str(tmp_path), str(tmp_path / "absent")])
    for name in ("Votes.xml", "Posts.xml"):
        (tmp_path / name).touch()
    for path in (tmp_path, tmp_path / "Posts.xml"):
        with pytest.raises(InputError, match=f"^{tmp_path}/Posts.xml is a table of a Stack Exchange dump"):
            refuse_dumps("qatar_living", [str(path)])


def test_a_folder_that_cannot_be_listed_is_not_taken_for_one_without_dumps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: object) -> list[str]:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "listdir", fail)
    with pytest.raises(InputError, match=f"cannot read {tmp_path}: Input/output error"):
        refuse_dumps("qatar_living", [str(tmp_path)])
