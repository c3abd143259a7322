"""From community tables to a data set, its features and their audit, by the commands; and the experiment."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from golden.preferred_answer import SITE, THREADS
from golden.run import GoldenRun
from homes import metadata_systems

from cqa_spark.cli import main
from cqa_spark.features.feature_table import missing_groups
from cqa_spark.features.inputs import SNAPSHOT_CAUTION
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import SITE_METRICS
from cqa_spark.lake.schemas.studies import DATA_CARD, TRIALS
from cqa_spark.settings.sections import ResamplingSettings
from cqa_spark.systems.system import System
from cqa_spark.tasks.preferred_answer.xu_2018 import Tune, logged_trials


@pytest.fixture(scope="module")
def copy(preferred_answer_run: GoldenRun, tmp_path_factory: pytest.TempPathFactory) -> GoldenRun:
    """What these tests write is read by none of the others."""
    return preferred_answer_run.copy(tmp_path_factory.mktemp("preferred"))


def test_data_set_features_and_audit(copy: GoldenRun, capsys: pytest.CaptureFixture[str]) -> None:
    here = ["--lake", copy.root, "--run-id", "pa"]
    assert main(["dataset", "preferred-answer", *here, "--from-run", "dump", "--min-answers", "3"]) == 0
    assert f"only {THREADS} meet the criteria" in capsys.readouterr().out
    snapshot = copy.run("pa")
    assert snapshot.read(EXAMPLES).where("relevant").select("initial_rank").distinct().collect() == [(2,)]
    assert snapshot.read(EXAMPLES).count() == 3 * THREADS
    card = {row["measure"]: row["value"] for row in snapshot.entries(DATA_CARD) if row["split"] == "*"}
    assert (card["questions"], card["answers"], card["share_late"]) == (THREADS, 3 * THREADS, 0)

    groups = ["basic_u_asof_v1", "basic_u_snapshot_v1", "badges_asof_v1"]
    assert main(["featurize", *here, "--task", "preferred_answer", "--groups", *groups]) == 0
    warned = capsys.readouterr().err
    assert "badges_asof_v1 is left out: no badges of beer.example.org" in warned
    assert "are replaced" not in warned
    featurized = copy.run("pa")
    assert missing_groups(featurized, groups) == {"badges_asof_v1"}
    assert "texts" not in featurized.tables

    both = ["--groups", "basic_u_asof_v1", "basic_u_snapshot_v1"]
    assert main(["features", "audit", *here, "--moments", "1", *both]) == 5
    told = capsys.readouterr().err
    assert "basic_u_snapshot_v1 (up_votes" in told
    assert "basic_u_asof_v1 (" not in told

    assert main(["featurize", *here, "--task", "preferred_answer", "--groups", "basic_u_asof_v1"]) == 0
    assert (
        "all feature values of run pa are replaced; to keep those of basic_u_snapshot_v1, name all groups in one"
        in capsys.readouterr().err.replace("\n", " ")
    )


def test_the_experiment_ranks_measures_and_reports(
    preferred_answer_run: GoldenRun, copy: GoldenRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a dump without badges, where the second answer is always the accepted one."""
    assert "On all 12 questions, by cross-validation" in (preferred_answer_run.folder / "out").read_text()
    said = (preferred_answer_run.folder / "err").read_text()
    assert "feature group badges_asof_v1 is left out: no badges" in said

    snapshot = preferred_answer_run.run("experiment")
    figures = [entry for entry in snapshot.entries(SITE_METRICS) if entry["measure"] == "P@1"]
    values = {(row["site"], row["system"]): row["value"] for row in figures}
    assert {site for site, _ in values} == {"*", SITE}
    assert values["*", "metadata_logistic_snapshot"] == 1.0  # whose author's acceptances it sees
    assert values["*", "first_answer"] == 0.0
    assert {row["queries"] for row in figures} == {THREADS}
    page = Path(snapshot.record.artifacts["report"]).read_text(encoding="utf-8")
    assert "Table 4: systems" in page
    texts = re.sub("<[^>]+>", "", page)
    assert "badges_asof_v1, badges_snapshot_v1: not computed for beer.example.org, whose dump has no badges." in texts
    assert SNAPSHOT_CAUTION in page
    again = tmp_path / "again.html"
    here = ["--lake", copy.root, "--run-id", "experiment"]
    assert main(["report", *here, "--report", str(again)]) == 0
    assert "Table 4: systems" in again.read_text(encoding="utf-8")

    capsys.readouterr()
    assert main(["explain", *here, "--thread", "7"]) == 0
    told = capsys.readouterr().out
    assert "metadata_logistic_asof on beer.example.org, thread 7" in told
    assert told.count("  score ") == 3


def test_parameters_are_chosen_on_the_validation_part_and_all_trials_are_kept(copy: GoldenRun) -> None:
    (recipe,) = (each for each in metadata_systems("basic_u", "badges") if each["name"].endswith("snapshot"))
    system = System.model_validate({"about": "For tests.", **recipe})
    begin = replace(copy.run("experiment").record, status="running")
    with (
        hold(copy.lake, Holder.of_this_process("test")) as held,
        open_run(held, begin, resume=True, on_step=lambda step: None) as run,
    ):
        Tune([system], 1, ResamplingSettings(resamples=99)).execute(run, StepRecord("tune"))
        trials, logged = run.entries(TRIALS), logged_trials(run, system.name)
    assert {(row["system"], row["split"]) for row in trials} == {(system.name, "dev")}
    assert [trial.name for trial in logged] == ["given", "trial 1"]
    best = max(trials, key=lambda row: (round(row["value"], 9), row["trial"] == "given"))
    assert [row["trial"] for row in trials if row["chosen"]] == [best["trial"]]


def test_what_is_not_there_is_refused(copy: GoldenRun, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["dataset", "preferred-answer", "--lake", copy.root, "--run-id", "none", "--from-run", "dump"]
    assert main([*command, "--min-answers", "4"]) == 3
    assert "no question has 4 answers with an accepted one" in capsys.readouterr().err
    assert main([*command, "--site", "wine.example.org"]) == 3
    assert "no posts of wine.example.org" in capsys.readouterr().err
    assert main(command[:-2]) == 3
    assert "nothing is published" in capsys.readouterr().err
