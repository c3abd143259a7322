import pytest
from pydantic import TypeAdapter, ValidationError

from cqa_spark.settings.sections import ObjectStorageSettings, TrackingSettings
from cqa_spark.settings.values import InputFile, Location


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
