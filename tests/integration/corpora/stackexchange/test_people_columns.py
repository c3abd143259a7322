"""Columns about people that no feature reads are stored only if the settings name them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import POSTS, USERS
from cqa_spark.lake.snapshot import published_snapshot

PERSONAL = (
    'CreationDate="2010-07-01T00:00:00.000" DisplayName="Ada" LastAccessDate="2012-01-02T00:00:00.000" '
    'WebsiteUrl="https://ada.example.org" Location="London" AboutMe="I count." Views="3" UpVotes="4" DownVotes="5" '
    'ProfileImageUrl="https://images.example.org/0f" EmailHash="0f" Age="36" AccountId="9" Phone="555"'
)
ADA = f'<row Id="1" Reputation="101" {PERSONAL} />'
BEA = '<row Id="2" Reputation="7" DisplayName=\'Bea\' Age="40" />'  # single quotes: read by the tolerant path
BROKEN = '<row Id="3" Reputation="many" Location="Paris" />'
POST = '<row Id="1" PostTypeId="1" OwnerDisplayName="Cy" LastEditorDisplayName="Dee" />'

SEEN = datetime(2012, 1, 2, tzinfo=UTC)
STORED = {"reputation": 101, "created_at": datetime(2010, 7, 1, tzinfo=UTC), "views": 3, "up_votes": 4, "down_votes": 5}
PEOPLE = {
    "name": "Ada", "accessed_at": SEEN, "website_url": "https://ada.example.org", "location": "London",
    "about": "I count.", "profile_image_url": "https://images.example.org/0f", "email_hash": "0f", "age": 36,
    "account_id": "9", "unknown_attributes": {"Phone": "555"},
}  # fmt: skip
WITHHELD = dict.fromkeys(PEOPLE) | {"unknown_attributes": {"Phone": None}}


def test_by_default_nothing_about_people_is_stored_that_no_feature_reads(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, str(tmp_path / "lake"))
    folder = tmp_path / "beer.example.org"
    folder.mkdir()
    rows = {"Users": [ADA, ADA, BEA, BROKEN], "Posts": [POST]}
    for table, of_table in rows.items():
        lines = [f"<{table.lower()}>", *of_table, f"</{table.lower()}>"]
        (folder / f"{table}.xml").write_text("\n".join(lines))

    def ingest(*columns: str) -> list[str]:
        """Ingest the dump, and return the files of the table of users, which differ if the dump is read."""
        more = ["--max-bad-fraction", "1", *(["--people-columns", *columns] if columns else [])]
        assert main(["ingest", "stackexchange", "--input", str(folder), "--lake", lake.root, *more]) == 0
        return [file.path for file in published_snapshot(lake).tables["users"].files]

    first = ingest()
    ada, bea = users(lake)
    assert ada == {"user_id": "1", **STORED, **WITHHELD}
    assert bea == dict.fromkeys(ada) | {"user_id": "2", "reputation": 7}
    [post] = published_snapshot(lake).read(POSTS).select("user_name", "editor_name").collect()
    assert tuple(post) == ("Cy", None)
    assert refused(lake) == [BROKEN, ADA]

    assert ingest() == first
    every = [f"users.{name}" for name in PEOPLE]
    second = ingest("posts.editor_name", *every)
    assert second != first
    ada, bea = users(lake)
    assert ada == {"user_id": "1", **STORED, **PEOPLE}
    assert bea == dict.fromkeys(ada) | {"user_id": "2", "reputation": 7, "name": "Bea", "age": 40}
    [post] = published_snapshot(lake).read(POSTS).select("user_name", "editor_name").collect()
    assert tuple(post) == ("Cy", "Dee")
    assert refused(lake) == [BROKEN, ADA]

    assert ingest(*reversed(every), "posts.editor_name") == second
    assert ingest("users.age") != second
    ada, bea = users(lake)
    assert ada == {"user_id": "1", **STORED, **WITHHELD, "age": 36}
    assert bea == dict.fromkeys(ada) | {"user_id": "2", "reputation": 7, "age": 40}


def users(lake: Lake) -> list[dict[str, Any]]:
    """The published users in order, without the columns of their site and file."""
    rows = published_snapshot(lake).read(USERS).drop("site", "source_file").orderBy("user_id").collect()
    return [
        {
            name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
            for name, value in row.asDict().items()
        }
        for row in rows
    ]


def refused(lake: Lake) -> list[str]:
    """The raw text of the quarantined records, which stays as it was written."""
    return sorted((row["raw"] for row in published_snapshot(lake).read(QUARANTINE).collect()), key=len)
