"""Files that a system cannot read, and flags without a use, are named before Spark starts."""

from pathlib import Path

import pytest

from cqa_spark.cli import main

LAKE = ("--lake", "lake")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["rank", "--system", "night_answers", "--train", "train.xml", "--input", "train.xml", "--predictions", "p"], 2,
         ("night_answers", "preferred_answer", "qatar_living", "stackexchange")),
        (["rank", "--system", "best_a", "--train", "Posts.xml", "--input", "Posts.xml", "--predictions", "p"], 3,
         ("Posts.xml", "qatar_living", "cqa nightly")),
        (["nightly", *LAKE, "--input", ".", "--system", "best_a"], 3, ("Posts.xml", "qatar_living", "cqa nightly")),
        (["nightly", *LAKE, "--input", "train.xml"], 3, ("no file of a Stack Exchange dump in train.xml",)),
        (["nightly", *LAKE, "--input", "beer.tar.gz"], 3, ("is not read", "tar -xf beer.tar.gz")),
        (["ingest", "stackexchange", *LAKE, "--input", "page"], 3, ("is an HTML page",)),
        (["demo", *LAKE, "--site", "forum.example.org"], 2, ("--lake", "--site", "--input DUMP")),
        (["demo", "--input", "s3a://dumps/beer"], 2, ("--input", "cqa nightly")),
    ],
)  # fmt: skip
def test_dry_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Posts.xml").write_text("<posts></posts>")
    for name in ("train.xml", "beer.tar.gz"):
        (tmp_path / name).touch()
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "Posts.xml").write_text("<html>Not found</html>")
    assert main([*arguments, "--dry-run"]) == code
    printed = capsys.readouterr().err
    assert [word for word in words if word not in printed] == []
