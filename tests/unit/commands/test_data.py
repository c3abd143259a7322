"""``cqa data``: verdicts on files of a folder, on literal files and on the real ones."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
import yaml

from cqa_spark.cli import main
from cqa_spark.commands.data import checked_files, counts_of
from cqa_spark.settings.conf_files import OVERLAY, conf_files
from cqa_spark.settings.research_data import DataPackage, PackageFile, read_package

THREADS = b"<xml>\r\n<RelQuestion ID='1'>\n<RelComment\n/><RelComment/></RelQuestion></xml>"
COMPLETE = PackageFile(counts={"RelComment": 2}, sha256=hashlib.sha256(THREADS).hexdigest())


def package(*files: tuple[str, PackageFile]) -> DataPackage:
    return DataPackage(
        name="forum", about="A forum", address="here", licence="free", citation="A paper", files=dict(files)
    )


def test_elements_and_lines_are_counted() -> None:
    assert counts_of(THREADS, {"RelQuestion": 9, "RelComment": 9, "Rel": 9}) == {
        "RelQuestion": 1,
        "RelComment": 2,
        "Rel": 0,
    }
    assert counts_of(b"a\nb\r\nc", {"lines": 0}) == {"lines": 3}


@pytest.mark.parametrize(
    ("described", "content", "verdict", "note"),
    [
        (COMPLETE, THREADS, "complete", ""),
        (COMPLETE, THREADS.replace(b"\r", b""), "counts agree", ""),
        (PackageFile(counts={"RelComment": 2}), THREADS, "counts agree", ""),
        (PackageFile(counts={"RelComment": 2}), gzip.compress(THREADS, mtime=0), "counts agree", ""),
        (PackageFile(), THREADS, "not checked", ""),
        (PackageFile(counts={"lines": 1000}), b"a\n", "differs", "1 lines instead of 1,000"),
    ],
)
def test_a_file_is_compared_by_hash_then_by_counts(
    tmp_path: Path, described: PackageFile, content: bytes, verdict: str, note: str
) -> None:
    (tmp_path / "threads.xml").write_bytes(content)
    (row,) = checked_files(package(("threads.xml", described)), tmp_path)
    assert (row.verdict, row.note, row.place, row.used_by) == (verdict, note, str(tmp_path / "threads.xml"), [])


@pytest.fixture
def forum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package of the user with one file and two stand-ins, which a data set of the user needs."""
    gold = {
        "counts": {"lines": 2},
        "stand_ins": {"official.txt": {}, "half.txt": {"about": "half", "counts": {"lines": 1}}},
    }
    described = package().model_dump() | {"files": {"gold.txt": gold}}
    data_set = {"name": "mine", "about": "Mine.", "site": "here", "corpus": "sts", "train": ["gold.txt"], "parts": {}}
    for folder, description in (("data", described), ("datasets", data_set)):
        (tmp_path / "conf" / folder).mkdir(parents=True)
        text = yaml.safe_dump(description)
        (tmp_path / "conf" / folder / f"{description['name']}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv(OVERLAY, str(tmp_path / "conf"))
    (tmp_path / "unpacked" / "v1").mkdir(parents=True)
    return tmp_path / "unpacked"


@pytest.mark.parametrize(
    ("name", "text", "verdict", "note", "code"),
    [
        ("other.txt", "1\n2\n", "missing", "", 3),
        ("gold.txt", "1\n2\n", "counts agree", "", 0),
        ("official.txt", "1\n2\n", "counts agree", "", 0),
        ("official.txt", "1\n", "differs", "1 lines instead of 2", 3),
        ("half.txt", "1\n", "counts agree", "half.txt: half", 0),
        ("half.txt", "1\n2\n", "differs", "half.txt: half; 2 lines instead of 1", 3),
    ],
)
def test_a_folder_is_checked(
    forum: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, verdict: str, note: str, code: int
) -> None:
    file = forum / "v1" / name
    file.write_text(text, encoding="utf-8")
    assert main(["data", "check", "forum", str(forum), "--format", "json"]) == code
    place = "" if verdict == "missing" else str(file)
    row = {"file": "gold.txt", "verdict": verdict, "place": place, "note": note, "used_by": ["mine"]}
    printed = capsys.readouterr()
    assert json.loads(printed.out) == [row]
    problem = f"cqa: {forum} lacks {int(verdict == 'missing')} files of forum that data sets need, and "
    assert (problem in printed.err) == (code != 0)


def test_a_package_is_shown_with_its_address_and_the_files_that_are_here(
    forum: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (forum / "v1" / "half.txt").touch()
    assert main(["data", "where", "forum", str(forum)]) == 0
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("A forum", "published at   here", "A paper", "2 lines", "v1/half.txt"))
    assert main(["data", "list"]) == 0
    assert "semeval2016_task3" in capsys.readouterr().out


@pytest.mark.parametrize("name", conf_files("data"))
def test_the_real_files_are_those_described(name: str, cqa_data: Path) -> None:
    rows = checked_files(read_package(name), cqa_data)
    assert {row.verdict for row in rows} <= {"complete", "missing"}
