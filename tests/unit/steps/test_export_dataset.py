"""The card of an exported data set."""

from pathlib import Path

import pytest
import yaml
from pyspark.sql import types as T

from cqa_spark.errors import InputError
from cqa_spark.lake.run_log import InputRecord, RunRecord
from cqa_spark.lake.table import column
from cqa_spark.object_store.folder import Folder
from cqa_spark.steps.attribution import NOT_STATED
from cqa_spark.steps.export_dataset import CANDIDATES, NOT_JUDGED, QUERIES, LabelCount, dataset_card, require_own_files


def test_the_card_names_the_files_the_columns_and_the_sources() -> None:
    inputs = (InputRecord("dev.xml", "dev", 3, "ab12"), InputRecord("s3a://bucket/train.xml", "train", None, None))
    record = RunRecord("monday", "succeeded", "run", "hash", "", "0.1.0", inputs=inputs)
    schema = T.StructType([column("label", "int", "graded relevance | 0 is none")])
    _, front, body = dataset_card(record, {"examples": schema}, {"examples": {"dev": 3, "train": 1200}}).split(
        "---\n", 2
    )
    assert yaml.safe_load(front)["configs"] == [
        {
            "config_name": "examples",
            "data_files": [
                {"split": "dev", "path": "examples/split=dev/*.parquet"},
                {"split": "train", "path": "examples/split=train/*.parquet"},
            ],
        }
    ]
    assert "Rows: 3 (dev), 1,200 (train)." in body
    assert "| `label` | int | graded relevance \\| 0 is none |" in body
    assert "- `dev.xml` (dev), SHA-256 `ab12`\n- `s3a://bucket/train.xml` (train)\n" in body


def test_the_card_has_the_numbers_of_queries_and_labels_by_split() -> None:
    record = RunRecord("monday", "succeeded", "run", "hash", "", "0.1.0")
    labels = [
        LabelCount("question_question", QUERIES, "train", 267),
        LabelCount("question_question", QUERIES, "dev", 50),
        LabelCount("question_question", CANDIDATES, "train", 2669),
        LabelCount("question_question", CANDIDATES, "dev", 500),
        LabelCount("question_question", "PerfectMatch", "train", 235),
        LabelCount("question_question", "PerfectMatch", "dev", 59),
        LabelCount("question_question", NOT_JUDGED, "train", 1),
    ]
    card = dataset_card(record, {}, {}, labels)
    assert card.split("## Queries and candidates\n\n")[1].split("\n\n")[0].splitlines() == [
        "| | train | dev |",
        "|---|---|---|",
        "| question question: queries | 267 | 50 |",
        "| question question: candidates | 2,669 | 500 |",
        "| PerfectMatch | 235 | 59 |",
        "| not judged | 1 |  |",
    ]


def test_the_card_names_the_licences_of_the_texts() -> None:
    record = RunRecord("monday", "succeeded", "run", "hash", "", "0.1.0")
    licences = {"CC BY-SA 3.0": 1200, "CC BY-SA 4.0": 3, NOT_STATED: 1}
    _, front, body = dataset_card(record, {}, {}, licences=licences).split("---\n", 2)
    assert yaml.safe_load(front)["license"] == ["cc-by-sa-3.0", "cc-by-sa-4.0"]
    assert "Texts by licence: CC BY-SA 3.0 1,200, CC BY-SA 4.0 3, licence unknown 1." in body
    assert "license" not in yaml.safe_load(dataset_card(record, {}, {}).split("---\n", 2)[1])


# The target of a data set: folders with files of others are never replaced.


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
