import pytest

from cqa_spark.commands.jobs import job_settings
from cqa_spark.commands.measure_files import CompareFilesSettings, EvaluateFileSettings
from cqa_spark.commands.run import RunSettings
from cqa_spark.commands.runs import ListRunsSettings, ShowRunSettings
from cqa_spark.commands.similar import SimilarSettings
from cqa_spark.commands.stages import FeaturizeSettings, PairSettings
from cqa_spark.commands.train import RankSettings, ScoreSettings, TrainSettings
from cqa_spark.errors import ConfigError
from cqa_spark.settings.conf_files import project_root
from cqa_spark.settings.resolve import resolve, standard_files
from cqa_spark.settings.yaml import SettingsError


def refuse_other_than(*known):
    def check(name):
        if name not in known:
            raise ConfigError(f"unknown name {name}", f"known names: {', '.join(known)}")

    return check


CHECKS = {"system": refuse_other_than("given_order", "best_a"), "task": refuse_other_than("question_comment")}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home and working directory with a few files, on a laptop."""
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conf").mkdir()
    for name in ("base", "cluster"):
        (tmp_path / "conf" / f"{name}.yaml").write_text("", encoding="utf-8")
    for name in ("train.xml", "dev.xml"):
        (tmp_path / name).write_text("", encoding="utf-8")
    return tmp_path


ENOUGH = ["--lake", "lake", "--train", "train.xml", "--dev", "dev.xml", "--systems", "given_order", "best_a"]


def settings(model, *arguments):
    return resolve("cqa job", model, arguments, CHECKS, job_settings).settings


def problems(model, *arguments):
    with pytest.raises(SettingsError) as caught:
        resolve("cqa job", model, arguments, CHECKS, job_settings)
    return caught.value.problems


def write(home, name, text):
    (home / name).write_text(text, encoding="utf-8")
    return name


def test_flags_alone_are_enough():
    found = settings(RunSettings, *ENOUGH, "--evaluation.resamples", "99", "--no-publish")
    assert found.inputs.train == ("train.xml",)
    assert found.systems == ("given_order", "best_a")
    assert found.evaluation.resamples == 99
    assert found.publish is False
    assert found.features.folds == 5


def test_each_layer_goes_over_the_one_before(home):
    def folds(*arguments):
        return settings(RunSettings, *ENOUGH, *arguments).features.folds

    assert folds() == 5
    write(home, "conf/base.yaml", "features: {folds: 6}\n")
    assert folds() == 6
    write(home, "mine.yaml", "features: {folds: 8}\n")
    assert folds("--config", "mine.yaml") == 8
    write(home, "other.yaml", "features: {folds: 9}\n")
    assert folds("--config", "mine.yaml", "--config", "other.yaml") == 9
    assert folds("--config", "mine.yaml", "--features.folds", "10") == 10


def test_the_cluster_file_goes_over_the_base_under_spark_submit_alone(home, monkeypatch):
    write(home, "conf/base.yaml", "features: {folds: 7}\n")
    write(home, "conf/cluster.yaml", "features: {folds: 8}\n")
    assert settings(RunSettings, *ENOUGH).features.folds == 7
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "12345")
    assert settings(RunSettings, *ENOUGH).features.folds == 8


def test_a_standard_file_that_is_missing_is_a_problem(home):
    (home / "conf" / "base.yaml").unlink()
    [problem] = problems(RunSettings, *ENOUGH)
    assert str(problem.origin) == "conf/base.yaml"


def test_a_file_that_cannot_be_read_hides_no_mistake_and_adds_none(home):
    write(home, "mine.yaml", "lake: [\n")
    found = problems(RunSettings, "--config", "mine.yaml", "--puplish")
    assert [each.origin for each in found] == ["flag --puplish", "mine.yaml, line 2, column 1"]


def test_a_number_has_an_end(home):
    write(home, "mine.yaml", "object_storage: {timeout: .inf}\n")
    [problem] = problems(RunSettings, *ENOUGH, "--config", "mine.yaml")
    assert (problem.key, problem.what) == ("object_storage.timeout", "input should be a finite number, got inf")


def test_all_mistakes_are_reported_at_once_each_with_origin_and_remedy(home):
    write(
        home,
        "mine.yaml",
        "lake: lake\nevaluation:\n  resample: 99\nfeatures:\n  folds: many\n"
        "inputs: {train: train.xml, dev: gone.xml}\nsystems: [given_order]\n",
    )
    found = problems(
        RunSettings, "--config", "mine.yaml", "--systems", "given_order", "bset_a", "--puplish", "--spark.partitions"
    )
    assert {(each.origin, each.key) for each in found} == {
        ("flag --spark.partitions", ""),
        ("flag --puplish", ""),
        ("mine.yaml, line 3", "evaluation.resample"),
        ("mine.yaml, line 6", "inputs.dev"),
        ("flag --systems", "systems"),
        ("mine.yaml, line 5", "features.folds"),
    }
    text = {each.key or each.origin: each for each in found}
    assert text["flag --spark.partitions"].what == "expected one argument"
    assert text["flag --puplish"].remedy == "did you mean --publish?"
    assert text["evaluation.resample"].remedy == "did you mean evaluation.resamples?"
    assert text["inputs.dev"].what == "file not found: gone.xml"
    assert text["systems"].what == "unknown name bset_a"
    assert text["systems"].remedy == "known names: given_order, best_a"
    assert "got 'many'" in text["features.folds"].what
    assert text["features.folds"].remedy == ("expected: folds of the cross-fitting, grouped by thread (default: 5)")


def test_the_error_lists_all_problems_and_ends_the_process_with_2(home):
    with pytest.raises(ConfigError) as caught:
        resolve("cqa run", RunSettings, [], CHECKS, job_settings)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith("4 invalid settings; nothing was read or written\n  - ")
    for key in ("lake", "inputs.train", "systems", "inputs: no evaluation data"):
        assert key in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ("resamples", "did you mean evaluation.resamples?"),
        ("evaluation.sed", "did you mean evaluation.seed or search.seed or experiment.seeds?"),
        ("input.train", "did you mean inputs.train or retrain or tracking?"),
        ("sistems", "did you mean systems or system or experiments.systems?"),
        ("zzz", "see cqa JOB --help"),
    ],
)
def test_an_unknown_key_is_answered_with_close_ones(home, wrong, remedy):
    first, _, second = wrong.partition(".")
    text = f"{first}: {{{second}: 1}}\n" if second else f"{first}: 1\n"
    write(home, "mine.yaml", text)
    [problem] = problems(RunSettings, *ENOUGH, "--config", "mine.yaml")
    assert (problem.key, problem.remedy) == (wrong, remedy)


def test_an_unknown_flag_is_answered_with_close_ones():
    [problem] = problems(RunSettings, *ENOUGH, "--resamples", "7")
    assert (problem.origin, problem.remedy) == ("flag --resamples", "did you mean --evaluation.resamples?")


def test_a_flag_for_a_positional_argument_is_answered_with_its_place():
    [problem] = problems(ShowRunSettings, "--lake", "build/lake", "--run-id", "mine")
    assert problem.origin == "flag --run-id"
    assert problem.remedy == "give it without the flag: cqa job RUN_ID"


def test_a_misspelt_flag_is_one_mistake():
    [problem] = problems(RunSettings, *[word.replace("--lake", "--lak") for word in ENOUGH])
    assert (problem.origin, problem.remedy) == ("flag --lak", "did you mean --lake?")


def test_a_flag_without_its_value_is_one_mistake():
    [problem] = problems(ShowRunSettings, "mine", "--lake")
    assert (problem.origin, problem.what) == ("flag --lake", "expected one argument")


def test_a_value_without_its_flag_is_one_mistake():
    [problem] = problems(ListRunsSettings, "build/lake")
    assert (problem.what, problem.remedy) == ("unexpected argument 'build/lake'", "did you mean --lake build/lake?")


def test_a_stray_word_is_refused():
    [problem] = problems(RunSettings, "stray", *ENOUGH)
    assert problem.what == "unexpected argument 'stray'"


IN_QUOTES = "put a value of several words in quotes:"
USAGE = "--lake PATH … (cqa job --help lists the flags)"


@pytest.mark.parametrize(
    ("model", "words", "what", "remedy"),
    [
        (
            SimilarSettings,
            "--lake x --text how do i",
            "unexpected arguments 'do' 'i'",
            f"{IN_QUOTES} --text 'how do i'",
        ),
        (SimilarSettings, "--text how do", "unexpected argument 'do'", f"{IN_QUOTES} --text 'how do'"),
        (ListRunsSettings, "--lake my lake", "unexpected argument 'lake'", f"{IN_QUOTES} --lake 'my lake'"),
        (ListRunsSettings, "--format json lake", "unexpected argument 'lake'", "did you mean --lake lake?"),
        (ListRunsSettings, "a b", "unexpected arguments 'a' 'b'", f"write cqa job {USAGE}"),
        (ShowRunSettings, "lake mine", "unexpected argument 'mine'", f"write cqa job RUN_ID {USAGE}"),
        (ListRunsSettings, "--lake x --object-storage.tls false", "takes no value", "write --no-object-storage.tls"),
        (ListRunsSettings, "--lake x --object-storage.tls=False", "takes no value", "write --no-object-storage.tls"),
        (ListRunsSettings, "--lake x --no-object-storage.tls=no", "takes no value", "write --object-storage.tls"),
        (ListRunsSettings, "--lake x --object-storage.tls yes", "takes no value", "write --object-storage.tls"),
    ],
)
def test_stray_words_are_answered_with_what_was_meant(model, words, what, remedy):
    [problem] = problems(model, *words.split())
    assert (problem.what, problem.remedy) == (what, remedy)


def test_keys_of_other_jobs_are_left_aside(home):
    write(home, "mine.yaml", "lake: lake\nsystems: [nobody_asks]\ninputs: {train: gone.xml}\n")
    assert settings(PairSettings, "--config", "mine.yaml", "--run-id", "r1").lake == "lake"


def test_a_section_that_is_a_plain_value_is_refused(home):
    write(home, "mine.yaml", "evaluation: 5\n")
    [problem] = problems(RunSettings, *ENOUGH, "--config", "mine.yaml")
    assert (problem.origin, problem.key) == ("mine.yaml, line 1", "evaluation")


def test_a_section_with_nothing_below_it_changes_nothing(home):
    write(home, "mine.yaml", "evaluation:\n")
    assert settings(RunSettings, *ENOUGH, "--config", "mine.yaml").evaluation.seed == 20160616


def test_a_list_whose_only_item_is_refused_is_one_mistake():
    found = problems(EvaluateFileSettings, "train.xml", "gone.pred")
    assert [(each.key, each.what) for each in found] == [("predictions", "file not found: gone.pred")]


def test_the_baseline_has_to_be_run():
    [problem] = problems(RunSettings, *ENOUGH[:-2], "best_a")
    assert (problem.key, problem.what) == ("baseline", "given_order is not in systems")


def test_patterns_and_remote_inputs_are_passed_on():
    found = settings(RunSettings, *ENOUGH, "--test", "*.xml", "s3a://bucket/test.xml")
    assert found.inputs.test == ("*.xml", "s3a://bucket/test.xml")


@pytest.mark.parametrize("run_id", ["../up", "a b", "", ".hidden", "a/b", "a\n", "a\0", "ä", "a" * 101])
def test_a_run_id_is_a_file_name(run_id):
    assert [each.key for each in problems(PairSettings, "--lake", "lake", "--run-id", run_id)] == ["run_id"]


def test_a_run_id_may_have_a_hundred_characters():
    assert settings(PairSettings, "--lake", "lake", "--run-id", "a" * 100).run_id == "a" * 100


def test_runs_are_tracked_beside_a_local_lake(monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert settings(RunSettings, *ENOUGH).tracking.uri == "sqlite:///lake.mlflow.db"
    remote = settings(RunSettings, *ENOUGH, "--lake", "s3a://bucket/lake")
    assert remote.tracking.uri == "sqlite:///mlflow.db"
    assert settings(RunSettings, *ENOUGH, "--tracking.uri", "http://server").tracking.uri == "http://server"


def test_other_jobs_are_tracked_where_an_address_is_given(monkeypatch):
    rank = [
        "--system",
        "best_a",
        "--train",
        "train.xml",
        "--input",
        "dev.xml",
        "--predictions",
        "new",
        "--lake",
        "lake",
    ]
    assert not settings(RankSettings, *rank).tracking.enabled
    assert settings(RankSettings, *rank, "--tracking.uri", "http://server").tracking.enabled
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://mlflow:5000")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "forum")
    tracking = settings(RankSettings, *rank).tracking
    assert (tracking.enabled, tracking.uri, tracking.experiment) == (True, "http://mlflow:5000", "forum")
    assert settings(RunSettings, *ENOUGH, "--tracking.experiment", "mine").tracking.experiment == "mine"
    assert not settings(RankSettings, *rank, "--no-tracking.enabled").tracking.enabled


def test_train_works_on_files_or_on_a_run():
    files = settings(TrainSettings, "--system", "best_a", "--train", "train.xml", "dev.xml", "--model", "m")
    assert (files.reads(), files.writes()) == (["train.xml", "dev.xml"], ["m"])
    run = settings(TrainSettings, "--lake", "lake", "--run-id", "r1", "--systems", "best_a")
    assert run.reads() == ["lake: tables of run r1"]
    assert {each.key for each in problems(TrainSettings, "--model", "m")} == {"system", "inputs.train"}
    assert {each.key for each in problems(TrainSettings)} == {"lake", "run_id", "systems"}


def test_score_works_on_a_file_or_on_a_run(home):
    (home / "m").mkdir()
    file = settings(ScoreSettings, "--model", "m", "--input", "dev.xml", "--predictions", "out.pred")
    assert (file.reads(), file.writes()) == (["m", "dev.xml"], ["out.pred"])
    assert {each.key for each in problems(ScoreSettings, "--model", "m")} == {"input", "predictions"}


def test_rank_names_all_that_it_lacks():
    assert {each.key for each in problems(RankSettings)} == {"inputs.train", "system", "input", "predictions"}


def test_a_lake_keeps_the_tables_between_files():
    files = ("--system", "best_a", "--train", "train.xml", "--input", "dev.xml", "--predictions", "out.pred")
    assert settings(RankSettings, *files).writes() == ["out.pred"]
    assert settings(RankSettings, *files, "--lake", "lake").writes() == ["out.pred", "lake: tables of run (new)"]


def test_featurize_needs_systems_or_groups():
    assert [each.key for each in problems(FeaturizeSettings, "--lake", "lake", "--run-id", "r1")] == ["groups"]
    groups = ("--lake", "lake", "--run-id", "r1", "--groups", "g_v1")
    assert [each.key for each in problems(FeaturizeSettings, *groups)] == ["task"]
    assert settings(FeaturizeSettings, *groups, "--task", "question_comment").groups == ("g_v1",)


def test_values_are_given_by_their_place_between_flags():
    found = settings(EvaluateFileSettings, "train.xml", "--format", "json", "dev.xml", "dev.xml")
    assert (found.gold, found.predictions, found.format) == ("train.xml", ("dev.xml", "dev.xml"), "json")
    assert settings(ShowRunSettings, "r1", "--lake", "lake").run_id == "r1"
    assert [each.key for each in problems(EvaluateFileSettings, "train.xml")] == ["predictions"]
    assert [each.key for each in problems(CompareFilesSettings, "train.xml", "dev.xml")] == ["predictions"]


def test_a_command_without_files_takes_no_config():
    [problem] = problems(EvaluateFileSettings, "train.xml", "dev.xml", "--config", "x.yaml")
    assert problem.origin == "flag --config"


def test_the_project_has_its_standard_files(monkeypatch):
    monkeypatch.delenv("CQA_HOME")
    assert all(path.is_file() for path in standard_files())
    assert (project_root() / "conf" / "cluster.yaml").is_file()
