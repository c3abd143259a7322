"""What is written to a model folder is read back exactly; what was changed, or is no data, is refused."""

import io
import json
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from saved_folders import NEARBY, MakesFolder

from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.model_folder import (
    FileEntry,
    ModelFolder,
    OtherModelFormat,
    TableEntry,
    new_model_folder,
    open_model_folder,
)
from cqa_spark.rankers.linear import LinearWeights

WEIGHTS = LinearWeights(mean=(0.1, 2.0), std=(1.0, 0.5), coefficients=(-3.5, 1e-300), intercept=0.25)


def opened(path: Path) -> ModelFolder:
    return open_model_folder(str(path), "ranker", NEARBY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with new_model_folder(str(tmp_path / "model"), "ranker", NEARBY) as made:
        made.write_json("weights.json", WEIGHTS)
        made.within("inner").write_array("numbers.npy", np.array([1.5, -0.0]))
    return tmp_path / "model"


def replace_file(folder: Path, key: str, data: bytes) -> None:
    """Put other bytes in the place of a file, and state them in the manifest, as somebody who means harm would."""
    (folder / key).write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][key] = FileEntry.of(data).model_dump()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_the_manifest_lists_every_file(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["version"], manifest["kind"], manifest["tables"]) == (1, "ranker", {})
    assert sorted(manifest["files"]) == ["inner/numbers.npy", "weights.json"]
    assert manifest["files"]["weights.json"]["size"] == (folder / "weights.json").stat().st_size
    assert len(manifest["files"]["weights.json"]["sha256"]) == 64


def test_what_was_written_is_read(folder: Path) -> None:
    assert opened(folder).read_json("weights.json", LinearWeights) == WEIGHTS
    numbers = opened(folder).within("inner").read_array("numbers.npy", shape=(2,))
    assert numbers.tobytes() == struct.pack("<2d", 1.5, -0.0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_json_keeps_every_bit_of_a_number(number: float) -> None:
    written = WEIGHTS.model_copy(update={"intercept": number}).model_dump_json()
    assert LinearWeights.model_validate_json(written).intercept.hex() == number.hex()


def test_json_keeps_every_bit_of_many_numbers() -> None:
    bits = random.Random(1)
    numbers = tuple(bits.gauss(0, 1) * 10.0 ** bits.randint(-30, 30) for _ in range(20_000))
    weights = LinearWeights(mean=numbers, std=numbers, coefficients=numbers, intercept=0.0)
    assert LinearWeights.model_validate_json(weights.model_dump_json()) == weights


def test_a_changed_file_is_refused(folder: Path) -> None:
    (folder / "weights.json").write_bytes((folder / "weights.json").read_bytes().replace(b"0.25", b"0.52"))
    with pytest.raises(ContractError, match=r"weights\.json: its content does not match the manifest"):
        opened(folder).read_json("weights.json", LinearWeights)


def test_a_missing_file_is_refused(folder: Path) -> None:
    (folder / "weights.json").unlink()
    with pytest.raises(ContractError, match=r"weights\.json: the file is missing"):
        opened(folder).read_bytes("weights.json")


def test_a_file_that_is_not_listed_is_never_read(folder: Path) -> None:
    (folder / "more.json").write_text(WEIGHTS.model_dump_json())
    with pytest.raises(ContractError, match=r"more\.json: the manifest does not list it"):
        opened(folder).read_json("more.json", LinearWeights)


def test_a_pickle_in_an_array_is_refused_and_not_run(folder: Path, tmp_path: Path) -> None:
    touched, stream = tmp_path / "touched", io.BytesIO()
    np.save(stream, np.array([MakesFolder(touched)], dtype=object), allow_pickle=True)
    replace_file(folder, "inner/numbers.npy", stream.getvalue())
    with pytest.raises(ContractError, match=r"numbers\.npy: Object arrays cannot be loaded"):
        opened(folder).within("inner").read_array("numbers.npy", shape=(1,))
    assert not touched.exists()
    np.load(io.BytesIO(stream.getvalue()), allow_pickle=True)
    assert touched.exists(), "the pickle does what it is made for where it is loaded"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x80\x04no array", "magic string is not correct"),
        (b"", "EOF"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999,), }", "array"),
    ],
)
def test_what_is_no_array_is_refused(folder: Path, data: bytes, reason: str) -> None:
    padded = data.ljust(128) if data.startswith(b"\x93") else data
    replace_file(folder, "inner/numbers.npy", padded)
    with pytest.raises(ContractError, match=reason):
        opened(folder).within("inner").read_array("numbers.npy", shape=(2,))


@pytest.mark.parametrize("array", [np.array([1, 2]), np.array([np.nan, 1.0]), np.array([[1.0, 2.0]])])
def test_arrays_of_other_types_values_and_shapes_are_refused(folder: Path, array: np.ndarray) -> None:
    stream = io.BytesIO()
    np.save(stream, array)
    replace_file(folder, "inner/numbers.npy", stream.getvalue())
    with pytest.raises(ContractError, match=r"finite doubles|its shape is \(1, 2\), not \(2,\)"):
        opened(folder).within("inner").read_array("numbers.npy", shape=(2,))


def test_numbers_that_do_not_fit_together_are_refused(folder: Path) -> None:
    replace_file(folder, "weights.json", b'{"mean": [1], "std": [1, 2], "coefficients": [1], "intercept": 0}')
    with pytest.raises(ContractError, match="have different lengths"):
        opened(folder).read_json("weights.json", LinearWeights)


def test_no_folder_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no model in"):
        opened(tmp_path / "none")


def test_a_folder_without_manifest_has_to_be_trained_again(tmp_path: Path) -> None:
    (tmp_path / "system.json").write_text("{}")
    with pytest.raises(OtherModelFormat) as caught:
        opened(tmp_path)
    assert "no manifest.json: the model was saved by an earlier release, or is incomplete" in caught.value.problem
    assert "retrain it" in caught.value.remedy
    assert caught.value.exit_code == 5


def test_a_folder_is_not_complete_before_its_manifest_is_written(folder: Path) -> None:
    made = new_model_folder(str(folder), "ranker", NEARBY)
    made.__enter__().write_json("other.json", WEIGHTS)  # and the process dies
    with pytest.raises(OtherModelFormat):
        opened(folder)


def test_writing_again_removes_the_old_files_and_no_others(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    with new_model_folder(str(folder), "ranker", NEARBY) as made:
        made.write_json("new.json", WEIGHTS)
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == [
        "manifest.json", "new.json", "notes.txt",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"version": 2}, OtherModelFormat, "another format than version 1"),
        ({"kind": "pyspark.ml.PipelineModel"}, ContractError, "manifest.json is not valid: kind"),
        ({"kind": "trained_system"}, ContractError, "contains trained_system, not ranker"),
        ({"class": "os.system"}, ContractError, "manifest.json is not valid: class"),
        ({"files": {"../../key": {"size": 1, "sha256": ""}}}, ContractError, "is not a valid object key"),
        ({"tables": {"t": {"columns": {"a": "udt"}, "files": []}}}, ContractError, "udt is not a column type"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(
    folder: Path, changes: dict[str, object], error: type[ContractError], message: str
) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))
    with pytest.raises(error, match=message):
        opened(folder)


@pytest.mark.parametrize(
    "column_type", ["bigint", "array<double>", "map<string,struct<judged:bigint,relevant:bigint>>"]
)
def test_types_of_columns(column_type: str) -> None:
    assert TableEntry.model_validate({"columns": {"a": column_type}, "files": []}).columns == {"a": column_type}


@pytest.mark.parametrize(
    "column_type", ["udt", "array<udt>", "int, b struct<a:int>", "array<" * 999 + "int" + ">" * 999]
)
def test_other_types_of_columns_are_refused(column_type: str) -> None:
    with pytest.raises(ValidationError, match="is not a column type"):
        TableEntry.model_validate({"columns": {"a": column_type}, "files": []})


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "[" * 100_000])
def test_a_manifest_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(ContractError, match=r"manifest\.json is not valid"):
        opened(folder)
