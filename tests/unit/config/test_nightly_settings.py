"""What a night reads and does follows from the task of its system."""

from pathlib import Path

import pytest

from cqa_spark import flows
from cqa_spark.commands.nightly import planned_flows
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.resolve import resolve
from cqa_spark.synth.stackexchange.dump import write_dump


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dump")
    write_dump(folder, site="beer.example.org", threads=4, seed=0, workers=1)
    return folder


def night_of(system: str, dump: str = __file__, *more: str, lake: str = "lake") -> NightlySettings:
    arguments = ["--lake", lake, "--input", dump, "--system", system, *more]
    return resolve("cqa nightly", NightlySettings, arguments, {"system": lambda name: None}).settings


@pytest.mark.parametrize(
    ("system", "source_format"),
    [("metadata_boosted_asof", "stackexchange"), ("fused_e", "stackexchange"), ("best_c", "qatar_living")],
)
def test_a_night_reads_the_format_of_its_task_whatever_base_yaml_names(system: str, source_format: str) -> None:
    assert flows.night_format(night_of(system), flows.night_systems(night_of(system))) == source_format


REVIEWED = ["checks", "threads", "report", "pages", "publish"]
RANKED = ["features", "score", "evaluate", "worth", *REVIEWED]


@pytest.mark.parametrize(
    ("system", "steps"),
    [
        (
            "night_answers",  # the package ships its model; the simple orders are trained
            ["models", "ingest", "dataset", "train", "features", "retrain", "nights", "score", *REVIEWED],
        ),
        ("metadata_boosted_asof", ["ingest", "dataset", "features", "train", "features", "nights", "score", *REVIEWED]),
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

    monkeypatch.setattr("cqa_spark.commands.nightly.refuse_unusable_lake", no_answer)
    [flow] = planned_flows(night_of("night_answers", str(dump), lake="s3a://bucket/lake"))
    assert flow.steps[0].name == "models"
    assert "the steps are those of a first night: no credentials" in capsys.readouterr().err
