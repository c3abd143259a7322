"""Tables in files → community tables."""

import re
from datetime import datetime
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

from cqa_spark.api.lake import open_lake
from cqa_spark.cli import main
from cqa_spark.corpora.tables import tables_of_folder
from cqa_spark.corpora.tables_conversion import PROBLEM, RAW, converted, locate, thread_warnings
from cqa_spark.errors import InputError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.lake.table import Table
from cqa_spark.settings.dumps import DumpSettings
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.sections import ObjectStorageSettings

STORAGE = ObjectStorageSettings()
POSTS_CSV = """post_id,thread_id,user_id,created_at,subject,body,tags,mood
1,,7,2024-05-01 10:00:00,"Which, one?","<p>two
lines</p>",ale|stout,glad
2,1,8.0,2024-05-01T11:30:00Z,,"He ""said"" this",,
3,1,9,yesterday,,When?,,
1,,7,2024-05-02,Again,,,
,1,,,,No id,,
"""


def converted_rows(spark, path: Path, table, site="forum"):
    frame = locate(str(path), STORAGE).read(spark)
    return [row.asDict() for row in converted(frame, table, site, str(path)).collect()]


def test_a_csv_file_becomes_posts_and_refused_rows(spark, tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    path.write_text(POSTS_CSV)
    question, answer, undated, again, nameless = converted_rows(spark, path, POSTS)
    named = ("post_id", "post_type", "thread_id", "user_id", "created_at", "body")
    assert [question[name] for name in named] == [
        "1", "question", "1", "7", datetime(2024, 5, 1, 10), "<p>two\nlines</p>",
    ]  # fmt: skip
    assert question["unknown_attributes"] == {"mood": "glad"}
    assert (answer["post_type"], answer["thread_id"], answer["body"]) == ("answer", "1", 'He "said" this')
    assert (answer["created_at"], answer["unknown_attributes"]) == (datetime(2024, 5, 1, 11, 30), None)
    assert [row[PROBLEM] for row in (question, answer, undated, again, nameless)] == [
        None, None, "created_at is no timestamp: yesterday", None, "post_id is missing",
    ]  # fmt: skip
    assert '"body":"When?"' in undated[RAW]


def test_tags_and_whole_numbers_are_read_in_their_usual_spellings(spark, tmp_path: Path) -> None:
    path = tmp_path / "posts.parquet"
    rows = {"post_id": [1.0, 2.0], "thread_id": [None, 1.0], "tags": ["<ale><dry stout>", '["a", "b"]']}
    pq.write_table(pa.table(rows), path)
    first, second = converted_rows(spark, path, POSTS)
    assert (first["post_id"], first["tags"], second["thread_id"], second["tags"]) == (
        "1", ["ale", "dry stout"], "1", ["a", "b"],
    )  # fmt: skip


PANDAS_ROWS = [
    {"post_id": "1.0", "thread_id": "1.0", "user_id": "7.0", "accepted_answer_id": "2.0", "subject": "16.0"},
    {"post_id": "2.0", "thread_id": "1.0", "user_id": None, "accepted_answer_id": None, "subject": "1.0.0"},
    {"post_id": "1.5", "thread_id": "a.0", "user_id": "1.00", "accepted_answer_id": None, "subject": None},
]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_ids_that_were_stored_as_floats_are_whole_in_texts_too(spark, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"posts{suffix}"
    frame = pd.DataFrame(PANDAS_ROWS)
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    names = ("post_id", "thread_id", "post_type", "user_id", "accepted_answer_id", "subject")
    assert [tuple(row[name] for name in names) for row in converted_rows(spark, path, POSTS)] == [
        ("1", "1", "question", "7", "2", "16.0"),
        ("2", "1", "answer", None, None, "1.0.0"),
        ("1.5", "a.0", "answer", "1", None, None),
    ]


def test_texts_that_are_no_numbers_of_the_declared_type_are_refused(spark, tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    scores = ["5", "-6.0", "", "many", "3.5", "3000000000"]
    path.write_text("\n".join(["post_id,score", *[f"{number},{score}" for number, score in enumerate(scores)]]))
    assert [(row["score"], row[PROBLEM]) for row in converted_rows(spark, path, POSTS)] == [
        (5, None), (-6, None), (None, None), (None, "score is no int: many"), (None, "score is no int: 3.5"),
        (None, "score is no int: 3000000000"),
    ]  # fmt: skip


def test_ids_that_are_floats_without_a_whole_number_stay_as_they_are(spark, tmp_path: Path) -> None:
    path = tmp_path / "posts.parquet"
    pq.write_table(pa.table({"post_id": [1.0, 1.5, 1e30, float("nan"), float("inf")]}), path)
    assert [row["post_id"] for row in converted_rows(spark, path, POSTS)] == ["1", "1.5", "1.0E30", "NaN", "Infinity"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("|ferns|water|", ["ferns", "water"]),
        ("ferns|dry water", ["ferns", "dry water"]),
        ("<c++><.net>", ["c++", ".net"]),
        ("a, b", ["a", "b"]),
        ('["a", "b c"]', ["a", "b c"]),
        ("||", []),
    ],
)
def test_spellings_of_tags(spark, tmp_path: Path, text: str, tags: list[str]) -> None:
    path = tmp_path / "posts.parquet"
    pq.write_table(pa.table({"post_id": ["1"], "tags": [text]}), path)
    (row,) = converted_rows(spark, path, POSTS)
    assert row["tags"] == tags


def test_sites_without_questions_and_threads_that_do_not_exist_are_named(spark) -> None:
    rows = [
        *[("a", "question", "1", "1"), ("a", "answer", "1", "2"), ("a", "answer", "9", "3"), ("a", "answer", "8", "4")],
        *[
            ("b", "question", "1", "1"),
            ("b", "answer", "1", "2"),
            ("b", "tag_wiki", "5", "5"),
            ("b", "answer", "2", "6"),
        ],
        *[("c", "answer", "1", "1"), ("d", "question", "1", "1")],
    ]
    posts = spark.createDataFrame(rows, "site string, post_type string, thread_id string, post_id string")
    assert [(warning[0], re.findall(r"\d+", warning)) for warning in thread_warnings(posts)] == [
        ("a", ["2", "4", "8"]), ("b", ["1", "3", "2"]), ("c", ["1"]),
    ]  # fmt: skip


def test_lines_that_are_no_json_are_refused(spark, tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text('{"vote_id": 1, "post_id": 2, "vote_type_id": 2}\n{"vote_id": 2, "post_id"\n')
    good, bad = converted_rows(spark, path, VOTES)
    assert (good["vote_id"], good["vote_type_id"], good[PROBLEM]) == ("1", 2, None)
    assert (bad[PROBLEM], bad[RAW]) == ("the line is not a JSON object", '{"vote_id": 2, "post_id"')


def test_a_table_without_ids_is_refused_with_the_columns_to_name(spark, tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    path.write_text("id,text\n1,a\n")
    with pytest.raises(InputError) as caught:
        converted_rows(spark, path, POSTS)
    assert caught.value.problem == f"{path} has no column post_id; it has id, text"


def test_delta_tables_and_folders_of_one_format_are_found(spark, tmp_path: Path) -> None:
    delta = tmp_path / "delta"
    for numbers in ([1], [2, 3]):
        write_deltalake(str(delta), pa.table({"comment_id": numbers, "post_id": numbers}), mode="append")
    write_deltalake(str(delta), pa.table({"comment_id": [9], "post_id": [9]}), mode="overwrite")
    (tmp_path / "mixed").mkdir()
    for name in ("a.csv", "b.parquet"):
        (tmp_path / "mixed" / name).touch()
    assert [row["comment_id"] for row in converted_rows(spark, delta, COMMENTS)] == ["9"]
    with pytest.raises(InputError, match="files of one format"):
        locate(str(tmp_path / "mixed"), STORAGE)
    with pytest.raises(InputError, match="no such file, folder or table"):
        locate(str(tmp_path / "absent.csv"), STORAGE)


def test_tables_of_the_catalogue_are_read(spark) -> None:
    spark.createDataFrame([(1, 5)], "comment_id long, post_id long").createOrReplaceTempView("said")
    location = locate("default.said", STORAGE)
    assert (location.files, location.format) == ((), None)
    with pytest.raises(InputError, match="neither a file nor a table"):
        location.read(spark)


def test_the_command_publishes_rows_quarantine_and_counts_of_every_table(spark, tmp_path: Path) -> None:
    (tmp_path / "posts.csv").write_text(POSTS_CSV)
    duckdb.sql(f"copy (select 5 comment_id, 2 post_id, 'Thanks' body) to '{tmp_path}/comments.parquet'")
    tables = ["--posts", f"{tmp_path}/posts.csv", "--comments", f"{tmp_path}/comments.parquet", "--site", "forum.test"]
    lake = ["--lake", f"{tmp_path}/lake"]
    assert main(["ingest", "tables", *tables, *lake]) == 3, "three of six rows are refused"
    assert main(["ingest", "tables", *tables, *lake, "--max-bad-fraction", "0.5"]) == 0
    run = open_lake(f"{tmp_path}/lake").run()
    rows = {name: run.table(name).to_arrow() for name in ("posts", "comments", "quarantine", "ingested_files")}
    assert sorted(rows["posts"]["post_id"].to_pylist()) == ["1", "2"]
    assert rows["comments"].select(["site", "comment_id", "body"]).to_pylist() == [
        {"site": "forum.test", "comment_id": "5", "body": "Thanks"}
    ]
    assert sorted(rows["quarantine"]["reason"].to_pylist()) == [
        "another row has the same site, post_id",
        "created_at is no timestamp: yesterday",
        "post_id is missing",
    ]
    counts = ["table_name", "rows_in", "rows_out", "rows_quarantined"]
    assert sorted(tuple(row.values()) for row in rows["ingested_files"].select(counts).to_pylist()) == [
        ("comments", 1, 1, 0),
        ("posts", 5, 2, 3),
    ]


def files_of(spark: SparkSession, lake: str, *tables: Table) -> dict[str, list[str]]:
    published = published_snapshot(Lake(spark, lake))
    return {table.name: sorted(file.path for file in published.files(table).files) for table in tables}


def test_tables_are_read_again_only_if_one_of_them_has_changed(spark: SparkSession, tmp_path: Path) -> None:
    folder, lake = tmp_path / "tables", f"{tmp_path}/lake"
    (folder / "votes").mkdir(parents=True)
    duckdb.sql(f"copy (select 'a.test' site, 1 post_id union select 'b.test', 2) to '{folder}/posts.parquet'")
    (folder / "votes" / "1.csv").write_text("site,vote_id,post_id,vote_type_id\na.test,1,1,2\n")
    command = ["ingest", "tables", "--posts", f"{folder}/posts.parquet", "--votes", f"{folder}/votes", "--lake", lake]
    assert main(command) == 0
    first = files_of(spark, lake, POSTS, VOTES, QUARANTINE)
    assert main(command) == 0
    assert files_of(spark, lake, POSTS, VOTES, QUARANTINE) == first
    counts = open_lake(lake).run().table("ingested_files").to_arrow().select(["site", "table_name", "rows_out"])
    assert sorted(tuple(row.values()) for row in counts.to_pylist()) == [
        ("a.test", "posts", 1), ("a.test", "votes", 1), ("b.test", "posts", 1),
    ]  # fmt: skip
    (folder / "votes" / "2.csv").write_text("site,vote_id,post_id,vote_type_id\nb.test,2,2,2\n")
    assert main(command) == 0
    assert not set(files_of(spark, lake, POSTS)["posts"]) & set(first["posts"])
    assert sorted(open_lake(lake).run().table("votes").to_arrow()["vote_id"].to_pylist()) == ["1", "2"]


def test_a_folder_of_tables_is_a_dump(tmp_path: Path) -> None:
    (tmp_path / "votes").mkdir()
    for name in ("Posts.csv.gz", "votes/a.parquet", "notes.txt"):
        (tmp_path / name).touch()
    settings = NightlySettings(lake="lake", dumps={"input": [str(tmp_path)], "site": "forum.test"})
    [source] = tables_of_folder(settings)
    assert source.location_names == {"posts": f"{tmp_path}/Posts.csv.gz", "votes": f"{tmp_path}/votes"}
    [votes] = tables_of_folder(settings.model_copy(update={"dumps": DumpSettings(input=(f"{tmp_path}/votes",))}))
    assert votes.location_names == {"votes": f"{tmp_path}/votes"}
    (tmp_path / "posts.parquet").touch()
    with pytest.raises(InputError, match="are both named after the table posts"):
        tables_of_folder(settings)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no tables in"):
        tables_of_folder(settings.model_copy(update={"dumps": DumpSettings(input=(f"{tmp_path}/empty",))}))
