"""What a task writes and returns of ranges: rows and quarantine as files, ids, errors of single files."""

import gzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.stackexchange import ranges as byte_ranges
from cqa_spark.corpora.stackexchange import ranges as range_task
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.probe import Access, probe
from cqa_spark.corpora.stackexchange.ranges import ByteRange, OpenFile, TaskResult, ranges_of, read_ranges, tasks_of
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.writing import Destination, TableWriter
from cqa_spark.settings.sections import ObjectStorageSettings

ACCESS = Access(ObjectStorageSettings(), UnpackLimits())


def opened(folder: Path, *ids: object, site: str = "beer.example.org", packed: bool = False) -> OpenFile:
    """A file of users; an id that is no number is refused."""
    rows = "".join(f'<row Id="{each}" Reputation="1" />\n' for each in ids)
    text = f"<users>\n{rows}</users>".encode()
    path = folder / site / ("Users.xml.gz" if packed else "Users.xml")
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(text) if packed else text)
    (file,) = find_dump_files([str(path)])
    return OpenFile(0, file, probe(file, ACCESS))


def read(folder: Path, *ranges: ByteRange) -> TaskResult:
    destinations = {
        table.name: Destination(table, str(folder), table.name, ACCESS.storage) for table in (USERS, QUARANTINE)
    }
    return read_ranges(destinations, ACCESS, ranges)


def test_rows_and_refused_records_are_files_of_their_sites(tmp_path: Path) -> None:
    beer = opened(tmp_path / "in", 3, 1, "x", 2)
    wine = opened(tmp_path / "in", 7, site="wine.example.org", packed=True)
    result = read(tmp_path / "lake", ByteRange(beer), ByteRange(wine))
    counts = [(each.lines, each.rows, each.refused, each.lowest_id, each.highest_id) for each in result.ranges]
    assert counts == [(6, 3, 1, 1, 3), (3, 1, 0, 7, 7)]
    assert [(file.site, file.rows) for file in result.files["users"]] == [
        ("beer.example.org", 3),
        ("wine.example.org", 1),
    ]
    (refused,) = result.files["quarantine"]
    (row,) = pq.read_table(tmp_path / "lake" / refused.path).to_pylist()
    assert (row["site"], row["reason"], row["raw"]) == (
        "beer.example.org", "Id is no whole number: x", '<row Id="x" Reputation="1" />'
    )  # fmt: skip
    assert row["source_file"] == beer.file.path


def test_a_file_without_bad_rows_has_no_folder_of_quarantine(tmp_path: Path) -> None:
    assert list(read(tmp_path / "lake", ByteRange(opened(tmp_path, 1))).files) == ["users"]
    assert not (tmp_path / "lake" / "quarantine").exists()


@pytest.mark.parametrize(
    ("ids", "most", "may_repeat"),
    [
        ((1, 2, 9), 100, False),
        ((9, 2, 1), 100, False),
        ((2, 1, 2), 100, True),
        ((1, 1), 100, True),
        ((1, 2, 9), 1, False),
        ((9, 2, 1), 1, True),  # too many to be compared
        ((), 100, False),
    ],
)
def test_ids_that_may_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ids: tuple[int, ...], most: int, may_repeat: bool
) -> None:
    monkeypatch.setattr(range_task, "MOST_COMPARED", most)
    (result,) = read(tmp_path / "lake", ByteRange(opened(tmp_path, *ids))).ranges
    assert result.may_repeat_ids is may_repeat


def test_a_file_that_cannot_be_read_harms_no_other(tmp_path: Path) -> None:
    cut = opened(tmp_path, *range(9999), packed=True)
    Path(cut.file.path).write_bytes(Path(cut.file.path).read_bytes()[:-20])
    result = read(tmp_path / "lake", ByteRange(cut), ByteRange(opened(tmp_path, 7, site="wine.example.org")))
    assert [each.error and each.error.problem.split(":")[0] for each in result.ranges] == [
        "damaged or truncated compressed files", None
    ]  # fmt: skip
    assert result.ranges[1].rows == 1


def test_a_failure_to_write_is_no_damage_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("No space left on device")

    file = opened(tmp_path, 1, packed=True)
    monkeypatch.setattr(TableWriter, "add", fail)
    with pytest.raises(OSError, match="No space left"):
        read(tmp_path / "lake", ByteRange(file))


def test_ranges_of_files_and_their_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_ranges, "RANGE", 100)
    monkeypatch.setattr(byte_ranges, "SMALLEST_TASK", 60)
    large = opened(tmp_path, *range(9))
    small = [opened(tmp_path, site=f"{name}.example.org") for name in "abc"]
    packed = opened(tmp_path, *range(99), site="p.example.org", packed=True)
    size = large.probe.size
    parts = ranges_of(large)
    spans = [(part.start, part.stop, part.is_line_start) for part in parts]
    assert spans == [(0, 100, True), (100, 200, False), (200, size, False)]
    assert [ranges_of(each) for each in (*small, packed)] == [[ByteRange(each)] for each in (*small, packed)]
    tasks = tasks_of([*parts, *map(ByteRange, small), ByteRange(packed)], cores=2)
    assert sorted(len(task) for task in tasks) == [1, 1, 1, 1, 3]
    assert tasks[0] == [ByteRange(packed)]
