from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from cqa_spark.cli import main
from cqa_spark.settings.sections import ObjectStorageSettings, TrackingSettings
from cqa_spark.settings.values import InputFile, Location, site_problem


def test_an_empty_endpoint_is_none() -> None:
    assert ObjectStorageSettings(endpoint="").endpoint is None


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"endpoint": "s3.example.org"}, "is not a URL"),
        ({"endpoint": "https://s3.example.org/bucket"}, "is not a URL"),
        ({"endpoint": "http://s3.example.org"}, "http:// and tls is true"),
        ({"endpoint": "https://s3.example.org", "tls": False}, "https:// and tls is false"),
    ],
)
def test_endpoints_that_cannot_be_meant(given: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        ObjectStorageSettings.model_validate(given)


@pytest.mark.parametrize("kind", [Location, InputFile])
def test_credentials_in_an_address_are_refused_and_not_repeated(kind: object) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(kind).validate_python("s3a://id:hush@bucket/lake")
    (error,) = refused.value.errors()
    assert error["msg"] == "the location contains credentials"
    assert TypeAdapter(kind).validate_python("s3a://bucket/a@b") == "s3a://bucket/a@b"


def test_credentials_in_the_address_of_mlflow_are_refused_and_not_repeated() -> None:
    with pytest.raises(ValidationError) as refused:
        TrackingSettings(uri="https://me:hush@mlflow.example.org")
    (error,) = refused.value.errors()
    assert error["msg"] == "the address contains credentials"
    assert TrackingSettings(uri="https://mlflow.example.org/a@b").uri == "https://mlflow.example.org/a@b"


@pytest.mark.parametrize(
    "uri",
    [
        "https://mlflow.example.org/?token=hush", "http://localhost:5000?a=hush", "ftp://me:hush@mlflow.example.org",
        "postgresql://db.example.org/mlflow?password=hush", "mysql+pymysql://db/mlflow?user=me&passwd=hush",
        "mssql+pyodbc:///?odbc_connect=PWD%3Dhush",
    ],
)  # fmt: skip
def test_credentials_among_the_parameters_of_an_address_of_mlflow_are_refused_and_not_repeated(uri: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrackingSettings(uri=uri)
    (error,) = refused.value.errors()
    assert error["msg"] == "the address contains credentials"
    assert "hush" not in error["ctx"]["remedy"]


def test_other_parameters_of_a_database_are_taken() -> None:
    uri = "postgresql://db.example.org/mlflow?sslmode=require&connect_timeout=3"
    assert TrackingSettings(uri=uri).uri == uri


def test_credentials_in_the_endpoint_are_refused() -> None:
    with pytest.raises(ValidationError, match="the endpoint contains credentials"):
        ObjectStorageSettings(endpoint="https://id:hush@s3.example.org")


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


@pytest.fixture
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
def test_every_command_refuses_what_cannot_name_a_site(
    command: str, dump: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), *COMMANDS[command], "--site", "a\nb", "--dry-run"]) == 2
    told = capsys.readouterr().err
    assert "flag --site: the site name 'a\\nb' contains the character U+000A" in told
    assert "a site name has 1 to 80 bytes of UTF-8" in told


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_space_a_quote_a_colon_and_a_percent_sign(command: str, dump: None) -> None:
    assert main([*command.split(), *COMMANDS[command], "--site", "it's 100% a:b", "--dry-run"]) == 0


def test_a_site_that_names_a_folder_stays_below_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("../x", "a/b", "/etc", "..", "."):
        assert main(["synth", "stackexchange", "--output", "o", "--site", name, "--dry-run"]) == 2
        assert f"the site name {name!r} cannot name a folder" in capsys.readouterr().err
