"""Dumps of Stack Exchange that lie in a bucket, as files and as an archive; and plain Parquet for others."""

from pathlib import Path

import py7zr
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as T
from s3_server import S3Server, reach

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.reading import read_parquet
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.lake.writing import write_plain_files
from cqa_spark.object_store.locations import find_files, send

TABLES = {
    "Posts": '<row Id="1" PostTypeId="1" AcceptedAnswerId="2" Body="a" />\n<row Id="2" PostTypeId="2" ParentId="1" />',
    "Votes": '<row Id="1" PostId="2" VoteTypeId="1" CreationDate="2018-03-12T00:00:00.000" />',
    "PostLinks": "",
}


@pytest.mark.slow
def test_files_and_archives_are_read_from_a_bucket(spark: SparkSession, s3: S3Server, tmp_path: Path) -> None:
    dump = tmp_path / "dumps" / "beer.example.org"
    dump.mkdir(parents=True)
    with py7zr.SevenZipFile(tmp_path / "dumps" / "wine.example.org.7z", "w") as archive:
        for table, rows in TABLES.items():
            text = f"<{table.lower()}>\n{rows}\n</{table.lower()}>"
            (dump / f"{table}.xml").write_text(text)
            archive.writestr(text, f"{table}.xml")
    send(tmp_path / "dumps", s3.location("dumps"), s3.settings)
    reach(spark, s3)
    lake = Lake(spark, s3.location("community"), s3.settings)
    arguments = ["ingest", "stackexchange", "--input", s3.location("dumps"), "--lake", lake.root, "--run-id", "r1"]
    arguments += ["--tables", "posts", "votes", "post_links", "--unpack.staging", s3.location("staging"), *s3.flags]
    assert main(arguments) == 0

    snapshot = published_snapshot(lake)
    posts = {(row["site"], row["post_id"]) for row in snapshot.read(POSTS).collect()}
    assert posts == {(site, number) for site in ("beer.example.org", "wine.example.org") for number in ("1", "2")}
    assert snapshot.read(VOTES).count() == 2
    assert snapshot.record.inputs[0].path == s3.location("dumps", "beer.example.org", "PostLinks.xml")

    unpacked = [each.location.rpartition("/")[2] for each in find_files(s3.location("staging"), s3.settings)]
    assert unpacked == ["PostLinks.xml", "Posts.xml", "Votes.xml", "_unpacked.json"]

    page = s3.location("pages", "r1.html")
    assert main(["inspect", "--lake", lake.root, "--format", "json", "--page", page, *s3.flags]) == 0
    assert [each.location for each in find_files(s3.location("pages"), s3.settings)] == [page]


def test_plain_parquet_is_written_in_one_piece(spark: SparkSession, s3: S3Server) -> None:
    reach(spark, s3)
    folder = s3.location("plain")
    frame = spark.createDataFrame([("beer", 1), ("wine", 2)], "site string, score int")
    for _ in range(2):
        write_plain_files(frame, folder, s3.settings, partition_by=["site"])
    sizes = {each.location: each.size for each in find_files(folder, s3.settings) if each.size}
    schema = T.StructType([T.StructField("score", T.IntegerType())])
    assert sorted(map(tuple, read_parquet(spark, schema, sizes, s3.settings).collect())) == [(1,), (2,)]
    written = [each.location.removeprefix(f"{folder}/").partition("/")[0] for each in find_files(folder, s3.settings)]
    assert written == ["_SUCCESS", "site=beer", "site=wine"]
