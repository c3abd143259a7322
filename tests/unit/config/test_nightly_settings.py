"""What a night reads and does follows from the task of its system."""

from pathlib import Path

import pytest

from cqa_spark import flows
from cqa_spark.commands.plans import nightly
from cqa_spark.config.nightly_settings import NightlySettings
from cqa_spark.config.resolve import resolve


@pytest.fixture(autouse=True)
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Posts.xml").write_text("<posts></posts>")
    (tmp_path / "train.xml").touch()
    monkeypatch.chdir(tmp_path)


def night_of(system: str) -> NightlySettings:
    arguments = [
        "--lake",
        "lake",
        "--input",
        "train.xml" if system in ("best_a", "best_c") else "Posts.xml",
        "--system",
        system,
    ]
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
        # Trained on annotated files before; the order of the search engine learns nothing.
        ("best_a", ["models", "ingest", "pair", "text", "embeddings", "train", *RANKED]),
        ("best_c", ["models", "ingest", "pair", "text", "embeddings", "upstream", "train", *RANKED]),
    ],
)
def test_the_steps_of_the_first_night(system: str, steps: list[str]) -> None:
    assert [step.name for step in nightly(night_of(system)).steps] == steps
