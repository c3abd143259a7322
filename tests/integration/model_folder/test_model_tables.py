"""Tables of a model folder: read with the manifest's columns, never with what Spark left in the files."""

import base64
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from saved_folders import NEARBY, MakesFolder

from cqa_spark.errors import ContractError
from cqa_spark.lake.model_folder import FileEntry, ModelFolder, TableEntry, new_model_folder, open_model_folder

ROWS = [("a", 1, [0.5]), ("b", 2, [])]
COLUMNS = "word string, count bigint, vector array<double>"


@pytest.fixture
def saved(spark: SparkSession, tmp_path: Path) -> ModelFolder:
    with new_model_folder(str(tmp_path / "model"), "feature_groups", NEARBY) as folder:
        folder.within("group").write_table("learned", spark.createDataFrame(ROWS, COLUMNS).coalesce(1))
    return open_model_folder(str(tmp_path / "model"), "feature_groups", NEARBY)


def rows(folder: ModelFolder) -> list[tuple[object, ...]]:
    return sorted(map(tuple, folder.within("group").read_table("learned").collect()))


def test_a_table_is_read_back(saved: ModelFolder) -> None:
    assert rows(saved) == ROWS
    assert saved.within("group").read_table("learned").dtypes == [tuple(each.split()) for each in COLUMNS.split(", ")]


def test_files_beside_the_listed_ones_are_not_read(saved: ModelFolder, tmp_path: Path) -> None:
    (listed,) = (tmp_path / "model" / "group" / "learned").glob("part-*")
    listed.with_name("part-more.parquet").write_bytes(listed.read_bytes())
    assert rows(saved) == ROWS


def test_a_changed_file_is_refused(saved: ModelFolder, tmp_path: Path) -> None:
    (listed,) = (tmp_path / "model" / "group" / "learned").glob("part-*")
    listed.write_bytes(listed.read_bytes() + b" ")
    with pytest.raises(ContractError, match="its content does not match the manifest"):
        rows(saved)


def test_types_that_parquet_files_name_are_not_loaded(spark: SparkSession, tmp_path: Path) -> None:
    touched, file = tmp_path / "touched", tmp_path / "model" / "learned" / "part-0.parquet"
    with new_model_folder(str(tmp_path / "model"), "feature_groups", NEARBY) as folder:
        file.parent.mkdir(parents=True)
        hostile = {
            "type": "udt", "pyClass": "os.TypeOfSomebody", "sqlType": "string",
            "serializedClass": base64.b64encode(cloudpickle.dumps(MakesFolder(touched))).decode(),
        }  # fmt: skip
        field = {"name": "word", "type": hostile, "nullable": True, "metadata": {}}
        schema = json.dumps({"type": "struct", "fields": [field]})
        table = pa.table({"word": ["a"]}).replace_schema_metadata({"org.apache.spark.sql.parquet.row.metadata": schema})
        pq.write_table(table, file)
        folder.manifest.files["learned/part-0.parquet"] = FileEntry.of(file.read_bytes())
        folder.manifest.tables["learned"] = TableEntry(columns={"word": "string"}, files=("learned/part-0.parquet",))
    read = open_model_folder(str(tmp_path / "model"), "feature_groups", NEARBY).read_table("learned")
    assert read.columns == ["word"]
    assert [row["word"] for row in read.collect()] == ["a"]
    assert not touched.exists()
    with pytest.raises(Exception, match=r"'int' object is not callable|NoneType|touched"):
        print(spark.read.parquet(str(file)).schema)
    assert touched.exists(), "the type is loaded where Spark takes the schema from the file"
