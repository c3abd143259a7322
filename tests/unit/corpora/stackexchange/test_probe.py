"""Attributes of other names are refused before they become columns of nulls."""

import bz2
import gzip
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from backports import zstd
from damage import FILES, FOOT, FOREIGN, HEAD, LINES, Damage, FileDamage
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.stackexchange import probe as file_probe
from cqa_spark.corpora.stackexchange.dump_files import DumpFile, find_dump_files
from cqa_spark.corpora.stackexchange.markup import last_tag, prolog
from cqa_spark.corpora.stackexchange.probe import HEAD_BYTES, Access, open_text, probe, refuse_renamed_attributes
from cqa_spark.corpora.stackexchange.ranges import ByteRange, OpenFile, open_range
from cqa_spark.corpora.stackexchange.recovery import Outcome
from cqa_spark.corpora.stackexchange.site_reader import wanted_tables
from cqa_spark.corpora.stackexchange.tables import BY_FILE, table_rows
from cqa_spark.errors import InputError
from cqa_spark.settings.dumps import DumpSettings
from cqa_spark.settings.sections import ObjectStorageSettings

POSTS = DumpFile("Posts.xml", "beer", BY_FILE["posts"], "beer")


def test_renamed_attributes_are_named_with_the_declared_ones() -> None:
    head = b'<posts>\n<row Id="1" PostTypeId="1" Created="2018-01-01" Text="a" />\n<row Id="2" PostTypeId="1" Te'
    with pytest.raises(InputError) as refused:
        refuse_renamed_attributes(POSTS, head)
    first, expected, seen = refused.value.problem.splitlines()
    assert first == "Posts.xml: the first 2 rows have no CreationDate and no Body"
    assert expected.startswith("    expected: Id, PostTypeId, AcceptedAnswerId, ")
    assert seen == "    seen: Id, PostTypeId, Created, Text"


@pytest.mark.parametrize(
    "head",
    [
        b"<posts>\n</posts>",
        b'<posts>\n<row Id="1" PostTypeId="1" />',
        b'<posts>\n<row Id="1" CreationDate="2018-01-01" Body="&lt;a Text=&quot;" New="1" />',
        b'<posts>\n<row Id="1" New="1" />\n<row Id="2" CreationDate=\'2018-01-01\' Body="b" />',
    ],
)
def test_rows_with_a_text_and_a_time_and_rows_without_other_names_are_read(head: bytes) -> None:
    assert refusal(refuse_renamed_attributes, POSTS, head) is None


def test_no_real_dump_is_refused(cqa_data: Path) -> None:
    files = find_dump_files(sorted({str(posts.parent) for posts in (cqa_data / "stackexchange").rglob("[Pp]osts.xml")}))
    assert len(files) > 100
    for file in files:
        with Path(file.path).open("rb") as stream:
            assert refusal(refuse_renamed_attributes, file, stream.read(HEAD_BYTES)) is None


# Every kind of damage of the table in damage.py: one bad row costs exactly that row, and nothing is lost.

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


# Compressed files as streams: what they hold, and that neither damage nor a bomb gets through.

TEXT = b'<posts>\n  <row Id="1" Body="&lt;p&gt;Is it so?&lt;/p&gt;" />\n</posts>\n'
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd.compress}
MAGIC = b"\x28\xb5\x2f\xfd"


def raw_frame(content: bytes, window_log: int = 10, size: int | None = None) -> bytes:
    """A frame of Zstandard with one raw block, whose header asks for a window and may claim a size."""
    block = (len(content) << 3 | 1).to_bytes(3, "little") + content
    window = bytes([window_log - 10 << 3])
    if size is None:
        return MAGIC + b"\x00" + window + block
    return MAGIC + b"\xc0" + window + size.to_bytes(8, "little") + block


def skippable_frame(content: bytes) -> bytes:
    """A frame of Zstandard that decoders pass over."""
    return b"\x50\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def text_of(folder: Path, packing: str, content: bytes, limits: UnpackLimits | None = None) -> bytes:
    path = folder / f"Posts.xml{packing}"
    path.write_bytes(content)
    (file,) = find_dump_files([str(path)])
    with open_text(file, Access(ObjectStorageSettings(), limits or UnpackLimits()), len(content)) as text:
        return b"".join(iter(lambda: text.read(1000), b""))


@pytest.mark.parametrize("packing", PACKERS)
def test_parts_that_were_packed_one_by_one_are_one_text(tmp_path: Path, packing: str) -> None:
    pack = PACKERS[packing]
    assert text_of(tmp_path, packing, pack(TEXT[:20]) + pack(TEXT[20:])) == TEXT


def test_many_small_frames_and_frames_to_skip_are_one_text(tmp_path: Path) -> None:
    largest = raw_frame(TEXT[:1], window_log=27)
    frames = [
        skippable_frame(b"a note"),
        largest,
        raw_frame(b""),
        *(raw_frame(bytes([byte])) for byte in TEXT[1:]),
    ]
    assert text_of(tmp_path, ".zst", b"".join(frames) * 50 + skippable_frame(b"")) == TEXT * 50


@settings(max_examples=60)
@given(packing=st.sampled_from(list(PACKERS)), place=st.floats(0, 1, exclude_max=True))
def test_whatever_is_cut_off_is_refused(tmp_path_factory: pytest.TempPathFactory, packing: str, place: float) -> None:
    packed = PACKERS[packing](TEXT)
    with pytest.raises(InputError, match="damaged or truncated compressed files"):
        text_of(tmp_path_factory.mktemp("cut"), packing, packed[: max(1, int(place * len(packed)))])


@pytest.mark.parametrize(
    "bad",
    [
        skippable_frame(b"skipped")[:-1],
        raw_frame(TEXT)[:-1],
        raw_frame(TEXT, size=2**63),
        b"\x28\xb5",
        b"junk",
    ],
)
def test_what_follows_a_frame_is_a_frame(tmp_path: Path, bad: bytes) -> None:
    with pytest.raises(InputError, match=r"damaged or truncated compressed files: .*Posts\.xml\.zst"):
        text_of(tmp_path, ".zst", raw_frame(TEXT) + bad)


@pytest.mark.parametrize("window_log", [28, 31])
@pytest.mark.parametrize("before", [b"", raw_frame(TEXT)], ids=["first frame", "later frame"])
def test_a_window_that_no_memory_holds(tmp_path: Path, window_log: int, before: bytes) -> None:
    with pytest.raises(InputError, match=r"Posts\.xml\.zst needs more than 134,217,728 bytes of memory to unpack"):
        text_of(tmp_path, ".zst", before + raw_frame(TEXT, window_log))


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("frames", [1, 1000])
def test_a_bomb_is_refused(tmp_path: Path, packing: str, frames: int) -> None:
    bomb = PACKERS[packing](bytes(10**7 // frames)) * frames
    most = 20 if frames > 1 else 200
    message = rf"unpacks to more than {most} times its [\d,]+ bytes, reached in its member Posts\.xml"
    with pytest.raises(InputError, match=message):
        text_of(tmp_path, packing, bomb, UnpackLimits(max_ratio=most))


def test_the_total_is_limited(tmp_path: Path) -> None:
    assert text_of(tmp_path, ".zst", zstd.compress(TEXT), UnpackLimits(200, len(TEXT))) == TEXT
    with pytest.raises(InputError, match=rf"unpacks to more than {len(TEXT) - 1} bytes"):
        text_of(tmp_path, ".zst", zstd.compress(TEXT), UnpackLimits(200, len(TEXT) - 1))


# How much of both ends of a file is read, so that the root's tags are seen beyond comments of any length.

COMMENT = b"<!--\n" + b"  <posts> </posts> <row />\n" * 50_000 + b"-->\n"


def head_of(content: bytes) -> bytes:
    return file_probe._head(io.BytesIO(content).read)


def tail_of(content: bytes) -> bytes:
    return file_probe._tail(lambda start, most: content[start : start + most], len(content))


def test_a_long_comment_before_the_root() -> None:
    head = head_of(b"\xef\xbb\xbf" + COMMENT + b"<posts>\n" + COMMENT + b"<row Id='1' />" * 10**6)
    assert 2 * len(COMMENT) < len(head) < 8 * 2 * len(COMMENT)
    assert prolog(head[3:]).root == "posts"


def test_a_long_comment_after_the_root() -> None:
    tail = tail_of(b"<row Id='1' />" * 10**6 + b"</xml>\n" + COMMENT)
    assert len(tail) < 8 * len(COMMENT)
    assert last_tag(tail) == "xml"


@pytest.mark.parametrize("content", [b"", b"<posts>", b"<!-- a", b"<row Id='1' />" * 1000])
def test_short_files_are_read_to_their_ends(content: bytes) -> None:
    assert head_of(content) == content
    assert content.endswith(tail_of(content))


def test_what_is_read_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_probe, "LONGEST_MARKUP", 100_000)
    assert len(head_of(COMMENT[:-4])) == 100_000
    assert len(tail_of(COMMENT[5:])) == 100_000


def test_of_other_files_little_is_read() -> None:
    content = b"<posts>\n" + b"<row Id='1' />\n" * 100_000
    assert (len(head_of(content)), len(tail_of(content))) == (file_probe.HEAD_BYTES, file_probe.TAIL_BYTES)
