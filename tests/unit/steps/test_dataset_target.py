"""The target of a data set: folders with files of others are never replaced."""

from pathlib import Path

import pytest

from cqa_spark.errors import InputError
from cqa_spark.object_store.folder import Folder
from cqa_spark.steps.export_dataset import require_own_files


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_an_earlier_export_and_other_folders_are_no_obstacle(tmp_path: Path) -> None:
    write(
        tmp_path, "texts/_SUCCESS", "texts/split=test/part-0.snappy.parquet", "rankings/_temporary/0/x", "notes/x.txt"
    )
    require_own_files(Folder(str(tmp_path)))
    require_own_files(Folder(str(tmp_path / "absent")))


@pytest.mark.parametrize(
    "other", ["texts/thesis.txt", "examples/a/b", "rankings/_delta_log/0.json", "texts/split=test/notes.parquet"]
)
def test_a_folder_with_files_of_others_is_refused(tmp_path: Path, other: str) -> None:
    write(tmp_path, "texts/_SUCCESS", other)
    with pytest.raises(InputError) as refused:
        require_own_files(Folder(str(tmp_path)))
    assert refused.value.problem.startswith(f"{tmp_path}/{other} is not of an earlier export")
