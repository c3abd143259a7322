"""Every kind of damage of the table in damage.py: one bad row costs exactly that row, and nothing is lost."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from damage import FILES, FOOT, FOREIGN, HEAD, LINES, Damage, FileDamage

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.stackexchange.columns import table_rows
from cqa_spark.corpora.stackexchange.dump_files import DumpFile, find_dump_files
from cqa_spark.corpora.stackexchange.probe import Access, probe
from cqa_spark.corpora.stackexchange.ranges import ByteRange, OpenFile, open_range
from cqa_spark.corpora.stackexchange.recovery import Outcome
from cqa_spark.corpora.stackexchange.site_reader import wanted_tables
from cqa_spark.errors import InputError
from cqa_spark.settings.dumps import DumpSettings
from cqa_spark.settings.sections import ObjectStorageSettings

IDS = 100  # a kind's ids: the good row before, up to nine of its own, the good row after
AFTER = 10
ACCESS = Access(ObjectStorageSettings(), UnpackLimits())
TABLES = {dump.file: dump for dump in wanted_tables(DumpSettings.model_construct())}


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
class Read:
    """What was read of a file; the rows and the records that are refused are in its order."""

    complete: bool | None
    lines: int
    rows: list[dict[str, Any]]
    refused: list[Outcome]


def read(path: Path) -> Read:
    (file,) = find_dump_files([str(path)])
    dump = TABLES[file.dump_table.file]
    opened = OpenFile(0, DumpFile(file.path, file.site, dump, file.dump, file.packing), probe(file, ACCESS))
    with open_range(ByteRange(opened), ACCESS) as reader:
        blocks = list(reader.blocks())
    rows = [row for block in blocks for part in block.rows
            for row in pa.Table.from_batches([table_rows(dump, part.columns, file.site, file.path)]).to_pylist(
                maps_as_pydicts="strict")]  # fmt: skip
    rows.sort(key=lambda row: int(row[dump.table.key[-1]]))
    refused = sorted((outcome for block in blocks for outcome in block.refused), key=lambda outcome: outcome.offset)
    return Read(opened.probe.complete, sum(block.lines for block in blocks), rows, refused)


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
def lines(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Placed], Read]:
    """The one file, where every kind stands in it, and what was read."""
    content, placed = place_all()
    path = tmp_path_factory.mktemp("damage") / "Posts.xml"
    path.write_bytes(content)
    return content, placed, read(path)


def test_the_table_says_of_every_line_what_becomes_of_it() -> None:
    assert len({damage.kind for damage in LINES}) == len(LINES)
    for damage in LINES:
        accounted = len(damage.rows) + len(damage.refused) + damage.not_rows + damage.joined
        assert accounted == damage.lines.count(b"\n") + 1, damage.kind
    for file in FILES:
        assert file.lines >= len(file.ids) + len(file.refused), file.kind


@pytest.mark.parametrize("kind", [damage.kind for damage in LINES])
def test_a_kind_of_damage(lines: tuple[bytes, dict[str, Placed], Read], kind: str) -> None:
    file, placed, found = lines[0], lines[1][kind], lines[2]
    rows = {int(row["post_id"]) - placed.first_id: row for row in found.rows if placed.has_id(row["post_id"])}
    refused = [outcome for outcome in found.refused if placed.has_byte(outcome.offset)]
    assert sorted(rows) == [0, *placed.damage.rows, AFTER]
    for place in (0, AFTER):
        good = {name: rows[place][name] for name in ("post_type", "thread_id", "score", "body", "unknown_attributes")}
        own_id = str(placed.first_id + place)
        assert good == {"post_type": "question", "thread_id": own_id, "score": -3, "body": f"good & <{own_id}>",
                        "unknown_attributes": {"New": "n"}}  # fmt: skip
    for place, values in placed.damage.rows.items():
        assert {name: rows[place][name] for name in values} == values
    assert starts(refused, placed.damage.refused) == placed.damage.refused
    assert all(file.startswith(outcome.raw, outcome.offset) for outcome in refused)


def test_no_line_is_lost(lines: tuple[bytes, dict[str, Placed], Read]) -> None:
    file, _, found = lines
    not_rows = 3 + sum(damage.not_rows + damage.joined for damage in LINES)
    assert found.lines == file.count(b"\n") == not_rows + len(found.rows) + len(found.refused)
    assert len(found.rows) == sum(len(damage.rows) + 2 for damage in LINES)
    assert len(found.refused) == sum(len(damage.refused) for damage in LINES)


def starts(refused: list[Outcome], reasons: tuple[str, ...]) -> tuple[str, ...]:
    """The starts of the reasons of refusals, as long as the expected ones."""
    return tuple(str(each.problem)[: len(reason)] for each, reason in zip(refused, reasons, strict=True))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.kind)
def test_a_whole_file(tmp_path: Path, file: FileDamage) -> None:
    (tmp_path / file.kind).mkdir()
    path = tmp_path / file.kind / file.name
    path.write_bytes(file.content)
    found = read(path)
    assert tuple(row["user_id" if file.name == "Users.xml" else "post_id"] for row in found.rows) == file.ids
    assert starts(found.refused, file.refused) == file.refused
    assert {name: found.rows[0][name] for name in file.values} == file.values
    assert (found.complete, found.lines) == (file.complete, file.lines)
    if not file.name.endswith(("gz", "bz2")):
        assert all(file.content.startswith(outcome.raw, outcome.offset) for outcome in found.refused)


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
