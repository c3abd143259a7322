"""A new dump → new rankings, every night: what changed is computed again, checked, and published whole or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from cqa_spark.config.settings import NightlySettings
from cqa_spark.corpora.stackexchange.dump_files import DumpFile, rounds
from cqa_spark.corpora.stackexchange.ingest.ingest import dump_files, ingest_dump
from cqa_spark.errors import InputError
from cqa_spark.features.registry import group_class
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.run import Run
from cqa_spark.reports.grid import print_grid
from cqa_spark.reports.night.content import Night
from cqa_spark.reports.night.grids import night_grids
from cqa_spark.runtime.workspace import open_run_in, write_lake
from cqa_spark.steps.analyse import analyse_step
from cqa_spark.steps.changes import changes_step
from cqa_spark.steps.check import checks_step, refuse_failed
from cqa_spark.steps.dataset import every_question_step
from cqa_spark.steps.evaluate import evaluate_step
from cqa_spark.steps.export import export_rankings
from cqa_spark.steps.feature_inputs import as_cut
from cqa_spark.steps.featurize import featurize_step
from cqa_spark.steps.publish import publish_run
from cqa_spark.steps.refresh import night_features_step, night_rankings_step
from cqa_spark.steps.report import report_step
from cqa_spark.steps.reuse import can_reuse, kept_system, last_night
from cqa_spark.steps.score import trained_in_run
from cqa_spark.steps.train import train_step
from cqa_spark.systems.recipes import groups_of, read_systems
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem
from cqa_spark.tasks.preferred_answer import PreferredAnswer

TASK = PreferredAnswer.name
BASELINE = "first_answer"


def nightly(settings: NightlySettings) -> None:
    """Do a night's work.

    Raises:
        AnotherWriter: another process writes the lake.
        ChecksFailed: the run is finished and not published.
    """
    files = _one_dump(settings)
    with write_lake(settings, "nightly") as lake:
        with open_run_in(lake, settings, "nightly", resume=False) as run:
            found = _all_steps(run, files, last_night(lake), settings)
        _publish(lake, run, found, settings)


def _one_dump(settings: NightlySettings) -> list[DumpFile]:
    """The files of the dumps.

    Raises:
        InputError: a site has several dumps; a night takes the newest.
    """
    dumps = rounds(dump_files(settings))
    if len(dumps) > 1:
        raise InputError(f"{len(dumps)} dumps of one site", "name one of them with --input; a night takes one dump")
    return dumps[0]


def _all_steps(run: Run, files: Sequence[DumpFile], last: Snapshot | None, settings: NightlySettings) -> Night:
    """From the dump to the report, with the verdicts."""
    systems = read_systems([settings.system, BASELINE])
    ingest_dump(run, files, settings.dumps, read_again=settings.full or settings.dumps.read_again)
    every_question_step(run, settings.answers)
    groups = groups_of(systems)
    if any(group_class(name).reads_texts for name in groups):
        analyse_step(run)
    trained = _trained(run, systems, last, settings)
    standing = last if can_reuse(run, last, trained, settings) else None
    if last is not None:
        changes_step(run, last, groups, as_cut(settings.features), wants_touched=standing is not None)
    night_features_step(run, trained, standing, task=TASK, settings=settings.features)
    night_rankings_step(run, trained, standing, task=TASK)
    evaluate_step(run, settings.evaluation, baseline=BASELINE)
    measures = settings.evaluation.measures
    checks_step(run, last, settings.checks, system=settings.system, measure=measures[0])
    found = report_step(run, path=settings.report, measures=measures, baseline=BASELINE).night
    assert found is not None, "the run was checked"
    return found


def _trained(
    run: Run, systems: Sequence[System], last: Snapshot | None, settings: NightlySettings
) -> Mapping[str, TrainedSystem]:
    """The system that ranks and the baseline: kept from before, or trained now on the training part."""
    models = {settings.system: settings.model}
    kept = {each.name: kept_system(run, each, last, models.get(each.name)) for each in systems}
    missing = [each for each in systems if kept[each.name] is None]
    if missing:
        featurize_step(run, groups_of(missing), task=TASK, settings=settings.features)
        train_step(run, missing, task=TASK)
    new = trained_in_run(run, tuple(each.name for each in missing))
    return {name: new[name] if each is None else each for name, each in kept.items()}


def _publish(lake: LeasedLake, run: Run, found: Night, settings: NightlySettings) -> None:
    """Show what was found; publish and export it where it passes, or where somebody says so."""
    console = Console()
    for grid in night_grids(found):
        print_grid(grid, console)
    failed = [each for each in found.verdicts if not each.passed]
    if not settings.force:
        refuse_failed(run.run_id, failed)
    names = ", ".join(each.check for each in failed)
    publish_run(lake, run.run_id, reason=f"{settings.who} says so, against: {names}" if failed else "passed all checks")
    manifest = export_rankings(lake, published_snapshot(lake), settings.system)
    for what, where in (("report", run.record.artifacts["report"]), ("rankings", manifest)):
        console.print(f"{what}: {where}", soft_wrap=True, highlight=False)
    print(f"run: {run.run_id}, published")
