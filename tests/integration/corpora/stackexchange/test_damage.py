"""Every kind of damage of the table in damage.py: one bad row costs exactly that row, and nothing is lost."""

import bz2
import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from damage import FILES, FOOT, FOREIGN, HEAD, LINES, Damage, FileDamage
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from cqa_spark.cli import main
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.archives.limits import UnpackLimits
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.dump_stream import Access
from cqa_spark.corpora.stackexchange.file_probe import probe
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS, USERS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.lake.storage import Lake

SITE = "lines.example.org"
IDS = 100  # a kind's ids: the good row before, up to nine of its own, the good row after
AFTER = 10
ACCESS = Access(ObjectStorageSettings(), UnpackLimits())

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Placed:
    """A kind of damage within the one file.

    Attributes:
        damage: the kind.
        first_id: the id of the good row before.
        start: byte at which its lines start.
        content: its lines.
    """

    damage: Damage
    first_id: int
    start: int
    content: bytes

    def has_id(self, post_id: str) -> bool:
        return self.first_id <= int(post_id) < self.first_id + IDS

    def has_byte(self, offset: int) -> bool:
        return self.start <= offset < self.start + len(self.content)


@dataclass(frozen=True)
class Outcome:
    """What the job made of all kinds; rows by site, without bodies of megabytes."""

    file: bytes
    placed: dict[str, Placed]
    rows: dict[str, list[Row]]
    quarantine: dict[str, list[Row]]
    account: dict[str, Entry]


def good_row(post_id: int) -> bytes:
    return b'  <row Id="%d" PostTypeId="1" Score="-3" Body="good &amp; &lt;%d&gt;" New="n" />\n' % (post_id, post_id)


def place_all() -> tuple[bytes, dict[str, Placed]]:
    """One file with every kind of ``LINES``, each between two good rows."""
    content, placed = HEAD, {}
    for number, damage in enumerate(LINES, start=1):
        first = number * IDS
        lines = re.sub(rb"@(\d)", lambda found, first=first: b"%d" % (first + int(found[1])), damage.lines) + b"\n"
        content += good_row(first)
        placed[damage.kind] = Placed(damage, first, len(content), lines)
        content += lines + good_row(first + AFTER)
    return content + FOOT, placed


@pytest.fixture(scope="module")
def outcome(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("damage")
    file, placed = place_all()
    for site, name, content in [(SITE, "Posts.xml", file), *((each.kind, each.name, each.content) for each in FILES)]:
        (folder / "in" / site).mkdir(parents=True)
        (folder / "in" / site / name).write_bytes(content)
    arguments = ["--input", str(folder / "in"), "--lake", str(folder / "lake"), "--run-id", "damage"]
    lenient = ["--tables", "posts", "users", "--allow-incomplete", "--max-bad-fraction", "1"]
    assert main(["ingest", "stackexchange", *arguments, *lenient]) == 0
    published = published_snapshot(Lake(spark, str(folder / "lake")))
    posts = published.read(POSTS).orderBy("site", F.col("post_id").cast("bigint")).collect()
    users = published.read(USERS).orderBy("site", F.col("user_id").cast("bigint")).collect()
    quarantine = published.read(QUARANTINE).orderBy("site", "byte_offset").collect()
    account = {entry["site"]: entry for entry in published.entries(INGESTED_FILES)}
    return Outcome(file, placed, _by_site([*posts, *users]), _by_site(quarantine), account)


def _by_site(rows: list[Row]) -> dict[str, list[Row]]:
    sites: dict[str, list[Row]] = {}
    for row in rows:
        sites.setdefault(row["site"], []).append(row)
    return sites


def test_the_table_says_of_every_line_what_becomes_of_it() -> None:
    assert len({damage.kind for damage in LINES}) == len(LINES)
    for damage in LINES:
        accounted = len(damage.rows) + len(damage.refused) + damage.not_rows + damage.joined
        assert accounted == damage.lines.count(b"\n") + 1, damage.kind
    for file in FILES:
        assert file.lines >= len(file.ids) + len(file.refused), file.kind


@pytest.mark.parametrize("kind", [damage.kind for damage in LINES])
def test_a_kind_of_damage(outcome: Outcome, kind: str) -> None:
    placed = outcome.placed[kind]
    rows = {int(row["post_id"]) - placed.first_id: row for row in outcome.rows[SITE] if placed.has_id(row["post_id"])}
    refused = [row for row in outcome.quarantine[SITE] if placed.has_byte(row["byte_offset"])]
    assert sorted(rows) == [0, *placed.damage.rows, AFTER]
    for place in (0, AFTER):
        good = {name: rows[place][name] for name in ("post_type", "thread_id", "score", "body", "unknown_attributes")}
        own_id = str(placed.first_id + place)
        assert good == {"post_type": "question", "thread_id": own_id, "score": -3, "body": f"good & <{own_id}>",
                        "unknown_attributes": {"New": "n"}}  # fmt: skip
    for place, values in placed.damage.rows.items():
        assert {name: rows[place][name] for name in values} == values
    assert [row["reason"][: len(start)] for row, start in zip(refused, placed.damage.refused, strict=True)] == [
        *placed.damage.refused
    ]
    for row in refused:
        assert outcome.file[row["byte_offset"] :].startswith(_bytes(row["raw"]))


def test_no_line_is_lost(outcome: Outcome) -> None:
    account = outcome.account[SITE]
    assert account["lines"] == outcome.file.count(b"\n")
    assert account["not_rows"] == 3 + sum(damage.not_rows + damage.joined for damage in LINES)
    assert account["rows_out"] == len(outcome.rows[SITE]) == sum(len(damage.rows) + 2 for damage in LINES)
    assert account["rows_quarantined"] == len(outcome.quarantine[SITE]) == sum(len(each.refused) for each in LINES)
    assert account["lines"] == account["not_rows"] + account["rows_out"] + account["rows_quarantined"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.kind)
def test_a_whole_file(outcome: Outcome, file: FileDamage) -> None:
    rows, refused = outcome.rows.get(file.kind, []), outcome.quarantine.get(file.kind, [])
    assert tuple(row["user_id" if file.name == "Users.xml" else "post_id"] for row in rows) == file.ids
    assert [row["reason"][: len(start)] for row, start in zip(refused, file.refused, strict=True)] == [*file.refused]
    assert {name: rows[0][name] for name in file.values} == file.values
    account = outcome.account[file.kind]
    assert account["is_complete"] is file.complete
    assert (account["lines"], account["not_rows"]) == (file.lines, file.lines - len(file.ids) - len(file.refused))
    assert (account["rows_out"], account["rows_quarantined"]) == (len(file.ids), len(file.refused))
    if not file.name.endswith(("gz", "bz2")):
        for row in refused:
            assert file.content[row["byte_offset"] :].startswith(_bytes(row["raw"]))


@pytest.mark.parametrize(
    ("content", "problem", "remedy"), [each[1:] for each in FOREIGN], ids=[each[0] for each in FOREIGN]
)
def test_a_file_that_is_no_dump(tmp_path: Path, content: bytes, problem: str, remedy: str) -> None:
    (tmp_path / "Posts.xml").write_bytes(content)
    (file,) = find_dump_files([str(tmp_path)])
    with pytest.raises(InputError) as refused:
        probe(file, ACCESS)
    assert refused.value.problem == f"{file.path} {problem}"
    assert refused.value.remedy == remedy


def test_a_file_that_only_its_name_says_is_packed(tmp_path: Path) -> None:
    (tmp_path / "Posts.xml.gz").write_bytes(HEAD + FOOT)
    (file,) = find_dump_files([str(tmp_path)])
    with pytest.raises(InputError, match=r"cannot read .*Posts\.xml\.gz: .*Not a gzipped file"):
        probe(file, ACCESS)
    (tmp_path / "Posts.xml.gz").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n")
    with pytest.raises(InputError, match=r"Posts\.xml\.gz is a Git LFS pointer"):
        probe(file, ACCESS)


def test_a_row_of_any_length_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    row = b'<row Id="%d" PostTypeId="1" CreationDate="2020-01-01" Body="%s" />\n'
    rows = [row % (1, b"a"), row % (7, b"x" * 200_000_000), row % (2, b"b")]
    folder = tmp_path / "long.example.org"
    folder.mkdir()
    (folder / "Posts.xml").write_bytes(HEAD + b"".join(rows) + FOOT)
    arguments = ["--input", str(folder), "--lake", str(tmp_path / "lake"), "--max-bad-fraction", "1"]
    assert main(["ingest", "stackexchange", *arguments]) == 0
    published = published_snapshot(Lake(spark, str(tmp_path / "lake")))
    assert sorted(row["post_id"] for row in published.read(POSTS).collect()) == ["1", "2"]
    (refused,) = published.read(QUARANTINE).collect()
    assert (refused["byte_offset"], refused["reason"]) == (
        len(HEAD + rows[0]),
        "the row has more than 67,108,864 bytes",
    )
    assert rows[1].startswith(refused["raw"].encode())


@pytest.mark.parametrize("packing", [gzip, bz2])
def test_a_compressed_file_that_unpacks_to_too_much(tmp_path: Path, packing: ModuleType) -> None:
    folder = tmp_path / "bomb.example.org"
    folder.mkdir()
    suffix = {gzip: "gz", bz2: "bz2"}[packing]
    (folder / f"Posts.xml.{suffix}").write_bytes(packing.compress(HEAD + b"\n" * 100_000_000 + FOOT))
    assert main(["ingest", "stackexchange", "--input", str(folder), "--lake", str(tmp_path / "lake")]) == 3


def _bytes(raw: str) -> bytes:
    r"""A quarantined text as it stands in its file; bytes that are no text stand as ``\xNN``."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), raw.encode())
