from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.settings.values import site_problem

ODD = [
    "a b",
    "it's",
    'the "best"',
    "a:b",
    "100%",
    "50%25",
    "a/b",
    "site=x",
    "007",
    "2016-12-01",
    "Zürich",
    "日本",
    "..",
]

LAKE = ["--lake", "lake", "--run-id", "r1"]
COMMANDS = {
    "ingest": [*LAKE, "--train", __file__],
    "ingest stackexchange": ["--lake", "lake", "--input", "Posts.xml"],
    "nightly": ["--lake", "lake", "--input", "Posts.xml"],
    "rank": ["--system", "given_order", "--train", __file__, "--input", __file__, "--predictions", "p"],
    "explain": [*LAKE, "--thread", "1"],
    "dataset preferred-answer": [*LAKE],
    "synth stackexchange": ["--output", "o"],
}


@pytest.fixture(autouse=True)
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Posts.xml").write_text("<posts>\n</posts>\n")


@pytest.mark.parametrize("name", ODD)
def test_whatever_can_be_printed_names_a_site(name: str) -> None:
    assert site_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "the site name is empty"),
        ("a\nb", "the site name 'a\\nb' contains the character U+000A"),
        ("a\tb", "the site name 'a\\tb' contains the character U+0009"),
        ("a\0", "the site name 'a\\x00' contains the character U+0000"),
        ("a\x7f", "the site name 'a\\x7f' contains the character U+007F"),
        ("a\u2028b", "the site name 'a\\u2028b' contains the character U+2028"),
        ("a\udcff", "the site name 'a\\udcff' contains the character U+DCFF"),
        (" a", "the site name ' a' starts or ends with a space"),
        ("a ", "the site name 'a ' starts or ends with a space"),
        ("__HIVE_DEFAULT_PARTITION__", "Spark and Hive read __HIVE_DEFAULT_PARTITION__ as a missing value"),
        ("ü" * 41, f"the site name '{'ü' * 41}' has 82 bytes"),
    ],
)
def test_what_cannot_name_a_site(name: str, problem: str) -> None:
    assert site_problem(name) == problem


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_what_cannot_name_a_site(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), *COMMANDS[command], "--site", "a\nb", "--dry-run"]) == 2
    told = capsys.readouterr().err
    assert "flag --site: the site name 'a\\nb' contains the character U+000A" in told
    assert "a site name has 1 to 80 bytes of UTF-8" in told


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_space_a_quote_a_colon_and_a_percent_sign(command: str) -> None:
    assert main([*command.split(), *COMMANDS[command], "--site", "it's 100% a:b", "--dry-run"]) == 0


def test_a_site_that_names_a_folder_stays_below_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("../x", "a/b", "/etc", "..", "."):
        assert main(["synth", "stackexchange", "--output", "o", "--site", name, "--dry-run"]) == 2
        assert f"the site name {name!r} cannot name a folder" in capsys.readouterr().err
