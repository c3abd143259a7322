"""Settings that cannot work are refused when they are resolved: before Spark starts, all of them together."""

from pathlib import Path

import pytest

from cqa_spark.commands.duplicates import DuplicatesSettings
from cqa_spark.commands.export import ExportDatasetSettings, ExportSettings, ExportTrecSettings
from cqa_spark.commands.inspect import InspectSettings
from cqa_spark.commands.jobs import checks, job_settings
from cqa_spark.commands.reproduce import ReproduceSettings
from cqa_spark.commands.run import RunSettings
from cqa_spark.commands.stages import FeaturizeSettings, ReportSettings
from cqa_spark.commands.train import RankSettings, TrainSettings
from cqa_spark.commands.tune import TuneSettings
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.sections import Command
from cqa_spark.settings.yaml import Problem, SettingsError

DUMP = ["--input", __file__, "--lake", "lake"]
FILES = ["--train", __file__, "--dev", __file__, "--lake", "lake"]
RUN = ["--lake", "lake", "--run-id", "r1"]
RANK = ["--system", "best_a", "--train", __file__, "--input", __file__]


def problems(model: type[Command], *arguments: str) -> tuple[Problem, ...]:
    with pytest.raises(SettingsError) as caught:
        resolve("cqa job", model, arguments, checks(), job_settings)
    assert caught.value.exit_code == 2
    return caught.value.problems


@pytest.mark.parametrize(
    ("model", "arguments", "key", "what"),
    [
        (DuplicatesSettings, [*DUMP, "--systems", "fused_e"], "baseline", "given_order is not in systems"),
        (DuplicatesSettings, [*DUMP, "--systems", "fused_e", "--baseline", "bm25_order"], "baseline",
         "bm25_order is not in systems"),
        (RunSettings, [*FILES, "--systems", "best_a"], "baseline", "given_order is not in systems"),
        (RunSettings, [*FILES, "--systems", "given_order", "best_b"], "systems",
         "the systems are for several tasks: given_order (question_comment), best_b (question_question)"),
        (FeaturizeSettings, [*RUN, "--systems", "best_a", "best_b"], "systems",
         "the systems are for several tasks: best_a (question_comment), best_b (question_question)"),
        (DuplicatesSettings, [*DUMP, "--systems", "fused_e", "--baseline", "fused_e", "--dump-format", "xml"],
         "dump_format", "unknown source format xml"),
        (NightlySettings, [*DUMP, "--dump-format", "xml"], "dump_format", "unknown source format xml"),
        (DuplicatesSettings, [*DUMP, "--systems", "fused_e", "--baseline", "fused_e", "--retrieval.embeddings", "bge"],
         "retrieval.embeddings", "unknown embedding model bge"),
        (ReproduceSettings, ["best_a", "--data", __file__, "--data-set", "sts1"], "data_set", "unknown data set sts1"),
    ],
)  # fmt: skip
def test_names_that_do_not_fit(model: type[Command], arguments: list[str], key: str, what: str) -> None:
    [problem] = problems(model, *arguments)
    assert (problem.key, problem.what) == (key, what)


@pytest.mark.parametrize(
    "uri", ["file:///tmp/mlruns", "file:mlruns", "mlruns", "/tmp/mlruns", "s3://bucket/mlruns", "localhost:5000"]
)
def test_an_address_that_mlflow_cannot_log_to(uri: str) -> None:
    [problem] = problems(RunSettings, *FILES, "--systems", "given_order", "--tracking.uri", uri)
    assert (problem.key, problem.what) == ("tracking.uri", f"MLflow cannot log runs to {uri}")


@pytest.mark.parametrize(
    "uri",
    ["http://mlflow:5000", "https://mlflow.example.org/a", "databricks", "databricks://profile", "sqlite:///a.db",
     "postgresql+psycopg2://db/mlflow", "mysql+pymysql://db/mlflow"],
)  # fmt: skip
def test_an_address_that_mlflow_can_log_to(uri: str) -> None:
    arguments = [*FILES, "--systems", "given_order", "--tracking.uri", uri]
    assert resolve("cqa job", RunSettings, arguments, checks(), job_settings).settings.tracking.uri == uri


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--spark.master", "banana"),
        ("--spark.master", "local[four]"),
        ("--spark.master", "host:7077"),
        ("--spark.driver-memory", "64m"),
        ("--spark.driver-memory", "2"),
        ("--experiments.shares", "1.5"),
        ("--experiments.shares", "0"),
        ("--tracking.experiment", ""),
    ],
)
def test_a_value_that_spark_or_an_experiment_would_refuse(flag: str, value: str) -> None:
    [problem] = problems(RunSettings, *FILES, "--systems", "given_order", flag, value)
    assert problem.origin == f"flag {flag}"


@pytest.mark.parametrize("master", ["local", "local[4]", "local[*, 3]", "local-cluster[2,1,1024]", "yarn",
                                    "spark://a:7077,b:7077", "k8s://https://host:443"])  # fmt: skip
def test_a_master(master: str) -> None:
    arguments = [*FILES, "--systems", "given_order", "--spark.master", master]
    assert resolve("cqa job", RunSettings, arguments, checks(), job_settings).settings.spark.master == master


@pytest.mark.parametrize("location", ["swift://host/lake", "ftp://host/lake", "http://host/lake"])
def test_a_lake_in_storage_that_is_not_supported(location: str) -> None:
    [problem] = problems(ReportSettings, "--lake", location, "--run-id", "r1")
    assert (problem.key, problem.what) == ("lake", f"{location.partition('://')[0]}:// is not supported storage")


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        (ReportSettings, ["--run-id", "r1", "--lake"]),
        (RankSettings, [*RANK, "--predictions", "new", "--lake"]),
        (InspectSettings, ["--lake"]),
    ],
)
def test_a_lake_that_is_a_file(model: type[Command], arguments: list[str]) -> None:
    [problem] = problems(model, *arguments, __file__)
    assert (problem.key, problem.what) == ("lake", f"{__file__} is a file")


OUTPUT_FILES = [
    (RunSettings, [*FILES, "--systems", "given_order", "--report"]),
    (ReportSettings, [*RUN, "--report"]),
    (RankSettings, [*RANK, "--predictions"]),
    (TuneSettings, [*RUN, "--system", "best_a", "--tuned"]),
    (InspectSettings, ["--lake", "lake", "--page"]),
]
OUTPUT_FOLDERS = [
    (TrainSettings, ["--system", "best_a", "--train", __file__, "--model"]),
    (ExportTrecSettings, ["--lake", "lake"]),
    (RunSettings, [*FILES, "--systems", "given_order", "--tracking.artifacts"]),
    (NightlySettings, [*DUMP, "--unpack.staging"]),
    (ReproduceSettings, ["best_a", "--data", __file__, "--output"]),
]


@pytest.mark.parametrize(("model", "arguments"), OUTPUT_FILES)
def test_an_output_file_that_is_a_folder(model: type[Command], arguments: list[str], tmp_path: Path) -> None:
    [problem] = problems(model, *arguments, str(tmp_path))
    assert problem.what == f"{tmp_path} is a folder"


@pytest.mark.parametrize(("model", "arguments"), OUTPUT_FOLDERS)
def test_an_output_folder_that_is_a_file(model: type[Command], arguments: list[str]) -> None:
    [problem] = problems(model, *arguments, __file__)
    assert problem.what == f"{__file__} is a file"


@pytest.mark.parametrize(("model", "arguments"), [*OUTPUT_FILES, *OUTPUT_FOLDERS])
def test_an_output_below_a_file(model: type[Command], arguments: list[str]) -> None:
    [problem] = problems(model, *arguments, f"{__file__}/a/b")
    assert problem.what == f"{__file__} is a file, not a folder"


@pytest.mark.parametrize(("model", "arguments"), [*OUTPUT_FILES, *OUTPUT_FOLDERS])
def test_an_output_where_this_user_may_not_write(
    model: type[Command], arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cqa_spark.settings.values.os.access", lambda path, mode: path != tmp_path)
    [problem] = problems(model, *arguments, str(tmp_path / "new" / "output"))
    assert problem.what == f"{tmp_path} cannot be written"


def test_an_existing_output_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "old.pred").write_text("")
    arguments = [*RANK, "--predictions", str(tmp_path / "old.pred")]
    assert resolve("cqa rank", RankSettings, arguments, checks(), job_settings).settings.predictions == arguments[-1]


def test_all_mistakes_are_reported_together() -> None:
    arguments = [*DUMP, "--systems", "fused_e", "--dump-format", "xml", "--retrieval.embeddings", "bge"]
    found = problems(DuplicatesSettings, *arguments, "--spark.master", "banana", "--report", "/")
    assert {problem.key for problem in found} == {
        "baseline", "dump_format", "retrieval.embeddings", "spark.master", "report",
    }  # fmt: skip


@pytest.mark.parametrize("character", ["%", "\\", "\n", "\r", "\t"])
@pytest.mark.parametrize("folder", ["{}/50{}", "{}/a{}b/lake"])
def test_a_path_that_delta_readers_could_not_name_becomes_no_lake(tmp_path: Path, folder: str, character: str) -> None:
    [problem] = problems(NightlySettings, "--input", __file__, "--lake", folder.format(tmp_path, character))
    assert problem.key == "lake"
    assert f"has the character {character!r}, which Delta tables cannot have in their path" in problem.what
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("location", ["s3a:/bucket/lake", "s3:/bucket/lake", "gs:/bucket/lake"])
def test_an_address_with_a_slash_too_few_is_no_folder(location: str) -> None:
    [problem] = problems(NightlySettings, "--input", __file__, "--lake", location)
    scheme = location.partition(":")[0]
    assert (problem.key, problem.what) == ("lake", f"{location} has one slash behind {scheme}:")
    assert problem.remedy == f"write {scheme}://bucket/lake, or ./{location} for a path of this machine"


@pytest.mark.parametrize("location", ["file:/a b/lake", "file:///a b/lake"])
def test_the_address_of_a_local_file_is_its_path(location: str) -> None:
    arguments = ["--input", __file__, "--lake", location]
    assert resolve("cqa nightly", NightlySettings, arguments, checks(), job_settings).settings.lake == "/a b/lake"


def test_a_folder_where_no_file_can_be_is_no_lake_and_no_output() -> None:
    [problem] = problems(NightlySettings, "--input", __file__, "--lake", "/proc/x/lake")
    assert problem.key == "lake"
    [problem] = problems(ExportSettings, "published", "--lake", "lake", "--output", "/proc/x")
    assert (problem.key, problem.what) == ("output", "/proc cannot be written")


@pytest.mark.parametrize(
    ("lake", "output"),
    [("lake", "lake"), ("lake/", "lake/tables"), ("lake", "./x/../lake/new"), ("s3a://b/lake", "s3a://b/lake/out/")],
)
def test_an_export_does_not_write_into_a_lake(
    lake: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for model, key, arguments in (
        (ExportSettings, "output", ["published", "--output", output]),
        (ExportDatasetSettings, "dataset", [output]),
        (ExportTrecSettings, "trec", [output]),
    ):
        [problem] = problems(model, "--lake", lake, *arguments)
        assert (problem.key, problem.what) == (key, f"{output} is in the lake")


@pytest.mark.parametrize(("lake", "output"), [("lake", "lake2"), ("lake", "."), ("s3a://b/lake", "s3a://b/lake2")])
def test_an_export_may_be_beside_a_lake(
    lake: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["published", "--lake", lake, "--output", output]
    assert resolve("cqa export", ExportSettings, arguments, checks(), job_settings).settings.output == output
