"""A night that would fill a local disk is refused before it starts."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import py7zr
import pytest

from cqa_spark.cli import main
from cqa_spark.commands.jobs import job_settings
from cqa_spark.commands.night_plan import night_format, night_systems
from cqa_spark.commands.nightly import planned_flows
from cqa_spark.corpora import disk_space
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError
from cqa_spark.process.disks import require_space
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.resolve import resolve
from cqa_spark.synth.stackexchange.dump import write_dump

POSTS = b"<posts>\n" + b'  <row Id="1" PostTypeId="1" Body="a" />\n' * 50_003 + b"</posts>\n"
assert len(POSTS) == 2_050_140
LAKE = SCRATCH = 12_050_140  # POSTS and 10 MB


class Started(EnvironmentProblem):
    """The night has started."""


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """The disk of all folders; its attribute ``free`` is what is free."""
    disk = SimpleNamespace(free=0)
    monkeypatch.setattr(disk_space, "require_space", partial(require_space, usage=lambda folder: disk))
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/scratch-1,{tmp_path}/scratch-2")
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)

    def start(settings: object, job: str) -> None:
        raise Started("the night starts", "")

    monkeypatch.setattr("cqa_spark.runtime.workspace.write_lake", start)
    return disk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "beer.example.org"
    folder.mkdir()
    (folder / "Posts.xml").write_bytes(POSTS)
    return folder


def said(capsys: pytest.CaptureFixture[str], path: Path, lake: str, *more: str) -> str:
    """What a night prints that ends before it starts, or as it starts."""
    assert main(["nightly", "--input", str(path), "--lake", lake, *more]) == 4
    return capsys.readouterr().err


def test_a_dump(tmp_path: Path, folder: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    night = partial(said, capsys, folder, str(tmp_path / "lake"))
    disk.free = LAKE + SCRATCH - 1
    assert (
        "too little disk space; the job was not started\n"
        f"    24.2 MB needed, 24.1 MB free: 12.1 MB for tables of the lake in {tmp_path}/lake, 6.1 MB for Spark's "
        f"scratch files in {tmp_path}/scratch-1, 6.1 MB for Spark's scratch files in {tmp_path}/scratch-2\n"
    ) in night()
    assert list(tmp_path.iterdir()) == [folder]
    assert "the night starts" in night("--no-check-space")
    disk.free = LAKE + SCRATCH
    assert "the night starts" in night()


def test_other_systems_may_need_more(
    tmp_path: Path, folder: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("train.xml", "night.xml"):
        (folder / name).write_bytes(POSTS)
    night = partial(
        said,
        capsys,
        folder / "night.xml",
        str(tmp_path / "lake"),
        "--system",
        "best_a",
        "--train",
        str(folder / "train.xml"),
    )
    disk.free = 2 * LAKE + 3 * SCRATCH - 1
    assert "60.3 MB needed, 60.2 MB free" in night()
    disk.free += 1
    assert "the night starts" in night()


def test_a_bucket_has_no_limit(
    folder: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cqa_spark.lake.snapshot.published_of", lambda lake, corpus: None)
    night = partial(said, capsys, folder, "s3a://bucket/lake")
    disk.free = SCRATCH
    assert "the night starts" in night()
    disk.free -= 1
    assert "\n    12.1 MB needed, 12.0 MB free: 6.1 MB for Spark's scratch files in " in night()
    assert "the night starts" in night("--spark.master", "spark://host:7077")


def test_an_archive(tmp_path: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not unpacked if there is no room for all of the night, and needs its space in the staging folder once."""
    archive, staging = tmp_path / "beer.example.org.7z", tmp_path / "staging"
    with py7zr.SevenZipFile(archive, "w") as packed:
        packed.writestr(POSTS, "Posts.xml")
    more = ["--unpack.staging", str(staging), "--unpack.max-ratio", "10000"]
    night = partial(said, capsys, archive, str(tmp_path / "lake"), *more)
    disk.free = len(POSTS) + LAKE + SCRATCH - 1
    assert f"\n    26.2 MB needed, 26.1 MB free: 2.1 MB for unpacked archives in {staging}, 12.1 MB" in night()
    assert {entry.name for entry in staging.iterdir()} <= {".notes"}
    disk.free += 1
    assert "the night starts" in night()
    disk.free -= len(POSTS)
    assert "the night starts" in night()


# What a night reads and does follows from the task of its system.


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dump")
    write_dump(folder, site="beer.example.org", threads=4, seed=0, workers=1)
    return folder


def night_of(system: str, dump: str = __file__, *more: str, lake: str = "lake") -> NightlySettings:
    arguments = ["--lake", lake, "--input", dump, "--system", system, *more]
    return resolve("cqa nightly", NightlySettings, arguments, {"system": lambda name: None}, job_settings).settings


@pytest.mark.parametrize(
    ("system", "source_format"),
    [("metadata_boosted_asof", "stackexchange"), ("fused_e", "stackexchange"), ("best_c", "qatar_living")],
)
def test_a_night_reads_the_format_of_its_task_whatever_base_yaml_names(system: str, source_format: str) -> None:
    assert night_format(night_of(system), night_systems(night_of(system))) == source_format


REVIEWED = ["checks", "threads", "report", "pages", "publish"]
FOUND = ["worth", "question vectors", "findings"]
RANKED = ["features", "score", "evaluate", "worth", *REVIEWED]


@pytest.mark.parametrize(
    ("system", "steps"),
    [
        (
            "night_answers",  # the package ships its model; the simple orders are trained
            ["models", "ingest", "dataset", "train", "features", "retrain", "nights", "score", *FOUND, *REVIEWED],
        ),
        (
            "metadata_boosted_asof",
            ["ingest", "dataset", "features", "train", "features", "nights", "score", *FOUND, *REVIEWED],
        ),
        ("fused_e", ["ingest", "candidates", "features", "train", *RANKED]),
    ],
)
def test_the_steps_of_the_first_night(system: str, steps: list[str], dump: Path) -> None:
    [flow] = planned_flows(night_of(system, str(dump)))
    assert [step.name for step in flow.steps] == steps


@pytest.mark.parametrize(("system", "upstream"), [("best_a", []), ("best_c", ["upstream"])])
def test_files_to_learn_from_get_a_run_before_the_night(system: str, upstream: list[str]) -> None:
    training, ranking = planned_flows(night_of(system, __file__, "--train", __file__))
    learning = ["ingest", "pair", "text", "embeddings", *upstream, "features", "train"]
    assert (training.name, [step.name for step in training.steps]) == ("train", learning)
    # The order of the search engine learns nothing.
    night = ["models", "ingest", "pair", "text", "embeddings", *upstream, "train", *RANKED]
    assert [step.name for step in ranking.steps] == night


def test_a_dry_run_refuses_what_the_night_refuses(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="best_a is not trained"):
        planned_flows(night_of("best_a", __file__))
    with pytest.raises(InputError, match="no file of a Stack Exchange dump"):
        planned_flows(night_of("night_answers", str(tmp_path)))


def test_object_storage_that_does_not_answer_leaves_the_steps_of_a_first_night(
    dump: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_answer(*arguments: object) -> None:
        raise EnvironmentProblem("no credentials", "set them")

    monkeypatch.setattr("cqa_spark.lake.opening.refuse_unusable_lake", no_answer)
    [flow] = planned_flows(night_of("night_answers", str(dump), lake="s3a://bucket/lake"))
    assert flow.steps[0].name == "models"
    assert "the steps are those of a first night: no credentials" in capsys.readouterr().err
