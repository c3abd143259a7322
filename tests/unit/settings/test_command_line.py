import pytest
import yaml

from cqa_spark.commands.export import ExportFindingsSettings, ExportSettings
from cqa_spark.commands.jobs import all_jobs, job_settings
from cqa_spark.commands.measure_files import EvaluateFileSettings
from cqa_spark.commands.run import RunSettings
from cqa_spark.commands.train import TrainSettings
from cqa_spark.settings.command_line import build_parser, flags
from cqa_spark.settings.conf_files import project_root
from cqa_spark.settings.resolve import known_keys
from cqa_spark.settings.sections import CheckSettings, JobSettings

MODELS = list(dict.fromkeys(job.settings for job in all_jobs()))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_setting_is_a_flag_with_its_help(model):
    text = " ".join(build_parser("cqa x", model, with_files=True).format_help().split())
    for flag in flags(model):
        assert flag.field.description, flag.key
        assert " ".join(flag.help.split()) in text
        assert f"{flag.spelling.replace('no-', '')}" in text or flag.metavar in text


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_two_settings_share_a_flag(model):
    spellings = [flag.spelling for flag in flags(model)]
    assert len(spellings) == len(set(spellings))


def test_a_flag_is_the_key_with_hyphens_and_the_inputs_stand_alone():
    spellings = {".".join(flag.key): flag.spelling for flag in flags(RunSettings)}
    assert spellings["allow_shared_threads"] == "--allow-shared-threads"
    assert spellings["evaluation.resamples"] == "--evaluation.resamples"
    assert spellings["spark.driver_memory"] == "--spark.driver-memory"
    assert spellings["inputs.train"] == "--train"


def test_help_shows_kinds_and_defaults():
    text = " ".join(build_parser("cqa run", RunSettings, with_files=True).format_help().split())
    assert "--features.folds N folds of the cross-fitting, grouped by thread (default: 5)" in text
    assert "--train FILE [FILE ...]" in text
    assert "--publish, --no-publish publish after checks (default: true)" in text
    assert "examples: cqa run --config conf/demo.yaml" in text


def test_places_stand_in_the_usage_line():
    assert build_parser("cqa evaluate-file", EvaluateFileSettings, with_files=False).format_usage() == (
        "usage: cqa evaluate-file GOLD PREDICTIONS ... [options]\n"
    )


def test_what_is_required_stands_in_the_usage_line_and_is_marked():
    text = " ".join(build_parser("cqa train", RunSettings, with_files=True, only_common=True).format_help().split())
    assert text.startswith("usage: cqa train --lake PATH --systems NAME --train FILE [options] ")
    assert "tables of all runs (required) --run-id" in text


@pytest.mark.parametrize("job", all_jobs(), ids=lambda job: job.name)
def test_common_settings_fit_a_screen_and_name_the_way_to_all(job, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    model = job.settings
    common, everything = (
        build_parser("cqa", model, with_files=issubclass(model, JobSettings), only_common=only_common).format_help()
        for only_common in (True, False)
    )
    assert len(common.splitlines()) <= 51
    assert ("more settings" in common) == (len(common) < len(everything))


def test_a_key_means_the_same_in_every_job():
    declared: dict[tuple[str, ...], tuple[object, object]] = {}
    for model in job_settings():
        for flag in flags(model):
            if flag.key in {("run_id",), ("lake",), ("system",), ("input",), ("predictions",), ("model",)}:
                continue  # required in some jobs and not in others
            if model in (ExportSettings, ExportFindingsSettings) and flag.key in {("format",), ("output",)}:
                continue  # of files that are its result; elsewhere of what is printed or left beside it
            this = (flag.field.description, flag.field.default)
            assert declared.setdefault(flag.key, this) == this, (model, flag.key)
    assert ("spark", "driver_memory") in declared


def test_base_yaml_holds_the_defaults_of_the_models():
    base = yaml.safe_load((project_root() / "conf" / "base.yaml").read_text(encoding="utf-8"))
    defaults = RunSettings(lake="somewhere").model_dump(mode="json")
    del defaults["tracking"]  # follows from the lake and the environment
    assert base["object_storage"].pop("endpoint") == "${AWS_ENDPOINT_URL_S3:-}"
    assert defaults["object_storage"].pop("endpoint") is None
    for needs_a_user in ("lake", "run_id", "inputs", "systems", "report", "spark"):
        del defaults[needs_a_user]
    assert base == defaults | {"checks": CheckSettings().model_dump(mode="json")}


def test_a_job_knows_its_own_keys_only():
    assert ("inputs", "train") in known_keys(TrainSettings)
    assert ("inputs", "dev") not in known_keys(TrainSettings)
    assert ("evaluation",) not in known_keys(TrainSettings)
