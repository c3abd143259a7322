"""The job ``ingest stackexchange``: what stays, what is replaced, what is refused."""

from collections.abc import Callable, Mapping
from pathlib import Path

import py7zr
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.corpora.stackexchange import site_reader as repeated_rows
from cqa_spark.corpora.stackexchange.site_reader import MOST_SELECTED
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.accounting import FAILED_SITES, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import POSTS, USERS
from cqa_spark.lake.snapshot import published_runs, published_snapshot
from cqa_spark.lake.table import Table

BEER, TEA, WINE = "beer.example.org", "tea.example.org", "wine.example.org"
QUESTION = '<row Id="1" PostTypeId="1" AcceptedAnswerId="2" Body="a" />'
ANSWER = '<row Id="2" PostTypeId="2" ParentId="1" Body="b" />'
DUMP = {
    "Posts": [QUESTION, ANSWER],
    "Users": ['<row Id="7" Reputation="1" />'],
    "Votes": ['<row Id="1" PostId="2" VoteTypeId="1" CreationDate="2018-03-12T00:00:00.000" />'],
}
Ingest = Callable[..., int]


def xml(table: str, rows: list[str], *, cut: bool = False) -> str:
    root = table.lower()
    text = f'<?xml version="1.0" encoding="utf-8"?>\n<{root}>\n' + "".join(f"  {row}\n" for row in rows)
    return text if cut else f"{text}</{root}>"


def write_dump(folder: Path, tables: Mapping[str, list[str]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for table, rows in tables.items():
        (folder / f"{table}.xml").write_text(xml(table, rows))
    return folder


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "lake"))


@pytest.fixture
def ingest(lake: Lake) -> Ingest:
    def run(path: Path, run_id: str, *more: str) -> int:
        few = [] if "--tables" in more else ["--tables", "posts", "users", "votes"]
        return main(
            ["ingest", "stackexchange", "--input", str(path), "--lake", lake.root, "--run-id", run_id, *few, *more]
        )

    return run


def ids(lake: Lake, table: Table, column: str) -> list[tuple[str, str]]:
    """Site and value of a column of all published rows."""
    snapshot = published_snapshot(lake)
    rows = snapshot.read(table).select("site", column).collect() if snapshot.has(table) else []
    return sorted((row["site"], row[column]) for row in rows)


def sites_of_files(lake: Lake) -> list[str]:
    """The site of each file that the published tables come from, in order."""
    return sorted(entry["site"] for entry in published_snapshot(lake).entries(INGESTED_FILES))


def test_what_is_not_read_again_stays_as_it_was(ingest: Ingest, lake: Lake, tmp_path: Path) -> None:
    write_dump(tmp_path / "in" / BEER, DUMP)
    write_dump(tmp_path / "in" / WINE, DUMP)
    assert ingest(tmp_path / "in", "r1") == 0

    # Another dump of one site, in which tables lack: it takes the place of all of that site's rows.
    later = {"Posts": [QUESTION.replace('Id="1" P', 'Id="3" P')], "Users": []}
    assert ingest(write_dump(tmp_path / "2" / BEER, later), "r2") == 0
    assert ids(lake, POSTS, "post_id") == [(BEER, "3"), (WINE, "1"), (WINE, "2")]
    assert ids(lake, USERS, "user_id") == [(WINE, "7")]
    assert ids(lake, VOTES, "vote_id") == [(WINE, "1")]
    assert sites_of_files(lake) == [BEER] * 2 + [WINE] * 3

    # One table of the other site: the others are not so much as written.
    before = published_snapshot(lake).tables
    changed = {"Posts": [QUESTION], "Users": ['<row Id="8" Reputation="1" />'], "Votes": []}
    assert ingest(write_dump(tmp_path / "3" / WINE, changed), "r3", "--tables", "posts") == 0
    after = published_snapshot(lake).tables
    assert ids(lake, POSTS, "post_id") == [(BEER, "3"), (WINE, "1")]
    assert ids(lake, USERS, "user_id") == [(WINE, "7")]
    kept = ("users", "votes")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert sites_of_files(lake) == [BEER] * 2 + [WINE] * 3


def test_a_site_that_cannot_be_read_stays_as_it_was(
    ingest: Ingest, lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for site in (BEER, TEA, WINE):
        write_dump(tmp_path / "in" / site, DUMP)
    assert ingest(tmp_path / "in", "r1") == 0
    later = {**DUMP, "Posts": [QUESTION.replace('Id="1" P', 'Id="3" P')]}
    for site in (BEER, TEA):
        write_dump(tmp_path / "in" / site, later)
    (tmp_path / "in" / TEA / "Users.xml").write_text(xml("Users", DUMP["Users"], cut=True))

    assert ingest(tmp_path / "in", "strict", "--require-every-site") == 3
    assert published_snapshot(lake).record.run_id == "r1"
    assert ingest(tmp_path / "in", "r2") == 0
    assert ids(lake, POSTS, "post_id") == [(BEER, "3"), (TEA, "1"), (TEA, "2"), (WINE, "1"), (WINE, "2")]
    assert sites_of_files(lake) == [BEER] * 3 + [TEA] * 3 + [WINE] * 3
    [failed] = published_snapshot(lake).entries(FAILED_SITES)
    assert failed["site"] == TEA
    assert failed["reason"].startswith("truncated files, which end before their closing tag: ")
    assert f"warning: {TEA} was not read, its published rows stay: truncated files" in capsys.readouterr().err

    # The file is mended: nothing else is read again.
    before = published_snapshot(lake).files(POSTS)
    write_dump(tmp_path / "in" / TEA, later)
    assert ingest(tmp_path / "in", "r3") == 0
    after = published_snapshot(lake)
    assert {file.site for file in {*before.files} ^ {*after.files(POSTS).files}} == {TEA}
    assert after.entries(FAILED_SITES) == []


def test_a_site_is_dropped_by_name_only(ingest: Ingest, lake: Lake, tmp_path: Path) -> None:
    for site in (BEER, WINE):
        write_dump(tmp_path / "in" / site, DUMP)
    assert ingest(tmp_path / "in", "r1") == 0
    assert ingest(tmp_path / "in" / BEER, "r2") == 0
    assert sites_of_files(lake) == [BEER] * 3 + [WINE] * 3
    assert ingest(tmp_path / "in" / BEER, "r3", "--drop-site", WINE) == 0
    assert sites_of_files(lake) == [BEER] * 3
    assert ids(lake, POSTS, "post_id") == [(BEER, "1"), (BEER, "2")]
    assert ids(lake, VOTES, "vote_id") == [(BEER, "1")]


def test_what_is_forgotten_is_removed_and_not_read_again(
    ingest: Ingest, lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vote = DUMP["Votes"][0]
    secret = '<row Id="x7" PostTypeId="1" Body="secret" />'
    dump = {
        "Posts": [
            '<row Id="1" PostTypeId="1" OwnerUserId="7" Body="a" />',
            '<row Id="2" PostTypeId="2" ParentId="1" OwnerUserId="8" Body="b" />',
            '<row Id="3" PostTypeId="1" OwnerUserId="8" LastEditorUserId="7" Body="c" />',
            '<row Id="4" PostTypeId="1" OwnerUserId="9" Body="d" />',
            secret,
        ],
        "Users": ['<row Id="7" Reputation="1" />', '<row Id="8" Reputation="1" />'],
        "Votes": [vote, vote.replace('Id="1" PostId="2"', 'Id="2" PostId="3"')],
    }
    for site in (BEER, WINE):
        write_dump(tmp_path / "in" / site, dump)
    few = ("--max-bad-fraction", "0.5")
    assert ingest(tmp_path / "in", "r1", *few) == 0
    wine = [file for file in published_snapshot(lake).files(POSTS).files if file.site == WINE]

    of_beer = ["lake", "forget", "--lake", lake.root, "--site", BEER]
    assert main([*of_beer, "--user", "70"]) == 3
    assert "has no rows of user 70 of beer.example.org" in capsys.readouterr().err
    assert main([*of_beer, "--user", "7"]) == 0  # with the answer of 8 to the question
    assert main([*of_beer, "--user", "7"]) == 0
    assert "user 7 of beer.example.org was forgotten before" in capsys.readouterr().out
    assert main([*of_beer, "--post", "4", "--now"]) == 0

    def require_forgotten() -> None:
        of_wine = [(WINE, number) for number in "1234"]
        assert ids(lake, POSTS, "post_id") == [(BEER, "3"), *of_wine]
        assert ids(lake, USERS, "user_id") == [(BEER, "8"), (WINE, "7"), (WINE, "8")]
        assert ids(lake, VOTES, "vote_id") == [(BEER, "2"), (WINE, "1"), (WINE, "2")]
        assert published_snapshot(lake).read(POSTS).where("editor_id IS NOT NULL").select("site").collect() == [(WINE,)]
        assert ids(lake, QUARANTINE, "raw") == [(BEER, ""), (WINE, f"  {secret}")]
        files = [entry for entry in published_snapshot(lake).entries(INGESTED_FILES) if entry["site"] == BEER]
        names = ("rows_out", "rows_quarantined", "rows_forgotten")
        counts = {each["table_name"]: (each["rows_in"], *(each[name] for name in names)) for each in files}
        assert counts["users"] == (2, 1, 0, 1)
        assert counts["votes"] == (2, 1, 0, 1)
        assert counts["posts"][1:3] == (1, 1)
        check_accounting(files)
        # Nor does a file that no table has.
        stored = Path(lake.root, "tables").glob(f"*/*.{published_snapshot(lake).record.attempt}/*/*.parquet")
        read = [pq.read_table(path) for path in stored]
        written = [each for table in read for each in table.to_pylist() if each["site"] == BEER]
        assert "7" not in {row.get("user_id") for row in written}

    require_forgotten()
    assert [file for file in published_snapshot(lake).files(POSTS).files if file.site == WINE] == wine
    manifests = list(Path(lake.root, "runs").glob("*/manifest.json"))
    assert len(manifests) == 1  # nothing to roll back to

    assert ingest(tmp_path / "in", "r2", *few) == 0
    require_forgotten()
    assert ingest(write_dump(tmp_path / "alone" / BEER, {"Votes": [vote]}), "no", "--tables", "votes") == 3
    assert "only its posts tell which rows are about them" in capsys.readouterr().err
    later = {**dump, "Posts": [*dump["Posts"], '<row Id="5" PostTypeId="2" ParentId="4" OwnerUserId="8" Body="e" />']}
    write_dump(tmp_path / "in" / BEER, later)
    assert ingest(tmp_path / "in", "r3", *few) == 0
    require_forgotten()
    assert [file for file in published_snapshot(lake).files(POSTS).files if file.site == WINE] == wine


def test_too_many_bad_rows(ingest: Ingest, lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = [f'<row Id="{number}" PostTypeId="1" Score="x{number}" />' for number in range(10, 14)]
    bad += [f'<row Id="{number}" Body="a" />' for number in range(20, 23)]
    bad += ['<row Id="30" PostTypeId="1" Body="a < b" />', '<row Id="31" PostTypeId="1" Body="a < b" />', "lost"]
    folder = write_dump(tmp_path / "bad" / BEER, {**DUMP, "Posts": [QUESTION, ANSWER, *bad]})
    assert ingest(folder, "r1", "--tables", "posts", "users", "--max-bad-fraction", "0.5") == 3
    said = capsys.readouterr().err
    assert "10 of 13 rows could not be parsed, more than the allowed share of 0.5" in said
    assert [line.strip() for line in said.splitlines() if " x " in line] == [
        "4 x Score is no whole number of 32 bits: x10",
        "3 x PostTypeId is missing",
        "2 x Unescaped '<' not allowed in attributes values, column 37",
    ]
    assert f"{folder}/Posts.xml, byte " in said
    assert [record.status for record in RunLog(lake.objects).records()] == ["running", "failed"]

    # What the failed run wrote reaches no later one: not one of another site, nor the same one over mended files.
    wine = write_dump(tmp_path / WINE, {"Posts": [QUESTION], "Users": []})
    assert ingest(wine, "r2", "--tables", "posts", "users") == 0
    assert ids(lake, POSTS, "post_id") == [(WINE, "1")]
    assert ids(lake, USERS, "user_id") == []
    assert ids(lake, QUARANTINE, "reason") == []
    mended = {"Posts": [QUESTION], "Users": []}  # a file without rows replaces those that were written from it
    assert ingest(write_dump(folder, mended), "r1", "--tables", "posts", "users") == 0
    assert ids(lake, POSTS, "post_id") == [(BEER, "1"), (WINE, "1")]
    assert ids(lake, USERS, "user_id") == []
    assert ids(lake, QUARANTINE, "reason") == []

    # A failure after something was published leaves that as it is.
    write_dump(folder, {"Posts": [QUESTION, "lost"]})
    assert ingest(folder, "r3", "--tables", "posts") == 3
    assert published_snapshot(lake).record.run_id == "r1"
    assert ids(lake, POSTS, "post_id") == [(BEER, "1"), (WINE, "1")]


def test_a_site_without_refused_rows_after_one_with_some(ingest: Ingest, lake: Lake, tmp_path: Path) -> None:
    few = ("--tables", "users", "--max-bad-fraction", "1")
    assert ingest(write_dump(tmp_path / BEER, {"Users": [*DUMP["Users"], "lost"]}), "r1", *few) == 0
    assert ingest(write_dump(tmp_path / WINE, {"Users": DUMP["Users"]}), "r2", *few, "--site", "vintner's") == 0
    assert [site for site, _ in ids(lake, QUARANTINE, "reason")] == [BEER]
    assert ids(lake, USERS, "user_id") == [(BEER, "7"), ("vintner's", "7")]


@pytest.mark.slow
def test_the_same_run_again_converges(
    ingest: Ingest, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where repeated ids are too many to be selected by tasks."""
    folder = write_dump(
        tmp_path / BEER, {**DUMP, "Posts": [QUESTION, ANSWER, ANSWER, ANSWER.replace("b", "c"), "lost"]}
    )
    tables = [(POSTS, "post_id"), (QUARANTINE, "reason")]
    found = []
    for most in (MOST_SELECTED, 0):
        monkeypatch.setattr(repeated_rows, "MOST_SELECTED", most)
        assert ingest(folder, "r1", "--tables", "posts", "--max-bad-fraction", "1") == 0
        found.append([ids(lake, table, column) for table, column in tables])
    assert found[0] == found[1]
    assert found[0][0] == [(BEER, "1"), (BEER, "2")]
    assert [reason.split(":")[0] for _, reason in found[0][-1]] == [
        "another row has Id 2 already",
        "the same row has Id 2 already",
        "there is text outside of any row",
    ]


def test_a_file_that_is_cut_short(
    ingest: Ingest, lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_dump(tmp_path / BEER, DUMP)
    (folder / "Posts.xml").write_text(xml("Posts", DUMP["Posts"], cut=True))
    assert ingest(folder, "r1", "--tables", "posts") == 3
    said = capsys.readouterr().err
    assert f"truncated files, which end before their closing tag: {folder}/Posts.xml" in said
    assert "--allow-incomplete reads them as they are" in said
    assert published_runs(lake) == ()
    assert ingest(folder, "r1", "--tables", "posts", "--allow-incomplete") == 0
    assert ids(lake, POSTS, "post_id") == [(BEER, "1"), (BEER, "2")]
    assert [row["is_complete"] for row in published_snapshot(lake).entries(INGESTED_FILES)] == [False]


def test_archives(ingest: Ingest, lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = tmp_path / f"{BEER}.7z"
    with py7zr.SevenZipFile(archive, "w") as packed:
        packed.writestr(xml("Posts", [QUESTION, ANSWER]), "Posts.xml")
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-20])
    assert ingest(archive, "r1", "--tables", "posts") == 3
    assert archive.name in capsys.readouterr().err
    assert not (tmp_path / "lake").exists()
    archive.write_bytes(whole)
    assert ingest(archive, "r1", "--tables", "posts") == 0
    assert ids(lake, POSTS, "post_id") == [(BEER, "1"), (BEER, "2")]
