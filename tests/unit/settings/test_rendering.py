import hashlib

import pytest
import yaml

from cqa_spark.commands.run import RunSettings
from cqa_spark.commands.stages import PairSettings
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.rendering import config_hash, config_yaml, dry_run


@pytest.fixture
def given(tmp_path):
    for name in ("train.xml", "dev.xml"):
        (tmp_path / name).write_text("", encoding="utf-8")
    return {
        "lake": "lake",
        "inputs": {"train": [str(tmp_path / "train.xml")], "dev": [str(tmp_path / "dev.xml")]},
        "systems": ["given_order"],
    }


def test_the_yaml_gives_the_same_settings_back(given):
    settings = RunSettings.model_validate(given)
    again = RunSettings.model_validate(yaml.safe_load(config_yaml(settings)))
    assert again == settings
    assert config_yaml(again) == config_yaml(settings)


@pytest.mark.parametrize(
    "aside",
    [
        {"lake": "elsewhere"},
        {"run_id": "r1"},
        {"report": "mine.html"},
        {"publish": False},
        {"spark": {"partitions": 16}},
        {"tracking": {"enabled": False}},
    ],
)
def test_what_changes_no_figure_is_not_in_the_hash(given, aside):
    assert config_hash(RunSettings.model_validate(given | aside)) == config_hash(RunSettings.model_validate(given))


@pytest.mark.parametrize(
    "change",
    [
        {"systems": ["given_order", "best_a"]},
        {"site": "other.org"},
        {"allow_shared_threads": True},
        {"features": {"folds": 6}},
        {"evaluation": {"seed": 1}},
        {"evaluation": {"measures": ["P@1"]}},
    ],
)
def test_what_changes_figures_is_in_the_hash(given, change):
    assert config_hash(RunSettings.model_validate(given | change)) != config_hash(RunSettings.model_validate(given))


def test_what_changes_no_figure_is_not_in_the_hash_of_its_section_either(tmp_path):
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
    settings = {"lake": "l", "dumps": {"input": [str(tmp_path / "monday")]}, "unpack": {"workers": 2}}
    moved = {"lake": "l", "dumps": {"input": [str(tmp_path / "tuesday")]}, "unpack": {"workers": 4}}
    stricter = {"lake": "l", "dumps": {**settings["dumps"], "max_bad_fraction": 0}}
    monday, tuesday, other = (config_hash(NightlySettings.model_validate(each)) for each in (settings, moved, stricter))
    assert (monday == tuesday, monday == other) == (True, False)


def test_the_hash_is_the_sha256_of_the_yaml_without_what_changes_no_figure():
    settings = PairSettings(lake="lake", run_id="r1", allow_shared_threads=True)
    assert config_hash(settings) == hashlib.sha256(b"allow_shared_threads: true\nrecipes: {}\n").hexdigest()


def test_the_hash_covers_the_recipes_that_are_named(given, tmp_path, monkeypatch):
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    settings = RunSettings.model_validate(given | {"systems": ["given_order"]})
    recipe = tmp_path / "conf" / "systems" / "given_order.yaml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text("ranker: {name: column}")
    before = config_hash(settings)
    recipe.write_text("ranker: {name: column}  # a comment changes nothing")
    assert config_hash(settings) == before
    recipe.write_text("ranker: {name: random_order}")
    assert config_hash(settings) != before


def test_a_dry_run_is_yaml_with_what_is_read_and_written_as_comments(given):
    settings = RunSettings.model_validate(given | {"run_id": "r1"})
    text = dry_run("cqa run", settings)
    assert yaml.safe_load(text) == settings.model_dump(mode="json")
    assert text.splitlines()[0] == f"# cqa run, settings with hash {config_hash(settings)}"
    assert text.split("# would read\n")[1].splitlines() == [
        f"#   {given['inputs']['train'][0]} (train)",
        f"#   {given['inputs']['dev'][0]} (dev)",
        "# would write",
        "#   lake: tables of run r1, published",
        "#   lake/runs/r1.ATTEMPT/report.html",
        "#   sqlite:///lake.mlflow.db: MLflow experiment cqa-spark",
    ]


def test_a_dry_run_shows_a_path_on_one_line(given, tmp_path):
    path = tmp_path / "a\nlake: forged\x1b[2J.xml"
    path.write_text("", encoding="utf-8")
    settings = RunSettings.model_validate(given | {"run_id": "r1", "inputs": {"train": [str(path)]}})
    text = dry_run("cqa run", settings)
    assert yaml.safe_load(text) == settings.model_dump(mode="json")
    assert f"#   {tmp_path}/a␊lake: forged␛[2J.xml (train)" in text.splitlines()
