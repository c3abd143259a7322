"""``cqa nightly``: a new dump, or new files → new rankings, checked and published atomically."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.rendering import config_hash
from cqa_spark.settings.values import is_remote

if TYPE_CHECKING:
    from cqa_spark.commands.night_plan import NightPlan
    from cqa_spark.corpora.source import Source
    from cqa_spark.lake.lake import LeasedLake
    from cqa_spark.lake.run import Run
    from cqa_spark.lake.snapshot import Snapshot
    from cqa_spark.runtime.flow import Flow


def planned_flows(settings: NightlySettings) -> list[Flow]:
    """The flows that a night would run now; none if it would publish the last run again.

    A lake or dumps in object storage that do not answer here are taken to be those of a first night, with a warning.
    """
    from cqa_spark.commands.night_plan import NightPlan, night_format, night_systems
    from cqa_spark.corpora.source import planned_dump
    from cqa_spark.lake.lake import Lake
    from cqa_spark.lake.opening import refuse_unusable_lake
    from cqa_spark.lake.snapshot import published_of
    from cqa_spark.spark.session import session_of

    systems = night_systems(settings)
    corpus = night_format(settings, systems)
    source = planned_dump(corpus, settings, full=settings.full)
    try:
        refuse_unusable_lake(settings.lake, settings.object_storage)
        last = published_of(Lake(lambda: session_of(settings), settings.lake, settings.object_storage), corpus)
    except EnvironmentProblem as error:
        if not is_remote(settings.lake):
            raise
        Terminal(stderr=True).line(f"warning: the steps are those of a first night: {error.problem}")
        last = None
    plan = NightPlan.of(settings, systems, source, last)
    if (carried := plan.carried) is not None:
        Terminal().line(f"no site has changed since run {carried.record.run_id}, which is published again")
        return []
    training = plan.training()
    trained = dict.fromkeys([system.name for system in plan.learners], "(trained)")
    return [*([training] if training else []), plan.ranking(trained)]


def nightly(settings: NightlySettings) -> None:
    """Run the nightly job.

    Raises:
        AnotherWriter: another process writes the lake.
        ChecksFailed: the run is finished and not published.
    """
    from cqa_spark.commands.night_plan import NightPlan, night_format, night_systems
    from cqa_spark.corpora.source import one_dump
    from cqa_spark.lake.collection import collect
    from cqa_spark.lake.publishing import INDEX
    from cqa_spark.lake.snapshot import published_of
    from cqa_spark.runtime.webhook import announce
    from cqa_spark.runtime.workspace import run_flow_in, write_lake
    from cqa_spark.steps.lake_page import folders_of

    systems = night_systems(settings)
    corpus = night_format(settings, systems)
    source = one_dump(corpus, settings, full=settings.full)
    _require_space(settings, corpus, source)
    with write_lake(settings, "nightly") as lake:
        plan = NightPlan.of(settings, systems, source, published_of(lake, corpus))
        if (carried := plan.carried) is not None:
            run = _carry(lake, settings, carried)
        else:
            flow = plan.ranking(_train(lake, plan))
            run = run_flow_in(lake, flow, settings, on_success=_print_night)
        collected = collect(lake, settings.keep)
    terminal = Terminal()
    if collected.files:
        terminal.line(f"deleted {collected.files} files that no kept run needs, {collected.bytes / 1e6:,.1f} MB")
    terminal.line(f"report: {run.record.artifacts['report']}")
    if settings.pages and any(folders_of(run.record)):
        terminal.line(f"threads: {settings.lake}/{INDEX} searches them")
    terminal.line(f"run: {run.run_id}, published")
    announce(
        settings.webhook,
        {
            "event": "published",
            "lake": settings.lake,
            "run_id": run.run_id,
            "system": settings.system,
            "report": run.record.artifacts["report"],
            "is_new": plan.carried is None,
        },
    )
    terminal.line(f"rankings: cqa export published --lake {settings.lake} --output FOLDER writes them to files")


def _require_space(settings: NightlySettings, corpus: str, source: Source) -> None:
    """Check that local disks have room for the changed sites, or for all of them if settings changed."""
    from cqa_spark.corpora.disk_space import require_space_for_dumps
    from cqa_spark.lake.lake import Lake
    from cqa_spark.lake.snapshot import published_of
    from cqa_spark.runtime.workspace import code_version
    from cqa_spark.spark.session import session_of

    last = published_of(Lake(lambda: session_of(settings), settings.lake, settings.object_storage), corpus)
    if last is not None and last.record.config_hash != config_hash(settings):
        last = None
    require_space_for_dumps(settings, source.bytes_to_read(last, code_version()))


def _carry(lake: LeasedLake, settings: NightlySettings, last: Snapshot) -> Run:
    """Publish a run with the files of the published one, because no site has changed."""
    from cqa_spark.lake.schemas.night import CHANGES, FIRST_ANSWERS
    from cqa_spark.runtime.workspace import open_run_in
    from cqa_spark.steps.publish import publish_run

    with open_run_in(lake, settings, "nightly", resume=False) as run:
        run.carry(last)
        run.write_entries(CHANGES, [])
        run.write_entries(FIRST_ANSWERS, [])
    Terminal().line(f"no site has changed since run {last.record.run_id}: its rankings and its report stay")
    # Whoever published that run knew the verdicts of its checks.
    publish_run(lake, run.run_id, force=True, reason=f"no site has changed since run {last.record.run_id}")
    return run


def _train(lake: LeasedLake, plan: NightPlan) -> dict[str, str]:
    """Train the systems that learn on annotated files; return their folders by name."""
    from cqa_spark.runtime.workspace import run_flow_in
    from cqa_spark.systems.trained_system import model_artifact

    flow = plan.training()
    if flow is None:
        return {}
    trained = run_flow_in(lake, flow, plan.settings.model_copy(update={"run_id": None}))
    folders = {system.name: trained.record.artifacts[model_artifact(system.name)] for system in plan.learners}
    for name, folder in folders.items():
        Terminal().line(f"trained {name}: {folder}; if the night fails, the next one takes it with --model")
    return folders


def _print_night(run: Run) -> None:
    """Print what the night is worth, what changed and the verdicts, before anything is published."""
    from cqa_spark.reports.sections import findings, first_answers, night, night_worth
    from cqa_spark.steps.report import written_report

    sections = (findings.SECTION, night_worth.SECTION, first_answers.SECTION, night.SECTION)
    written_report(run).show(Terminal(), *sections)


JOBS = (
    Job(
        "nightly",
        "a new dump → new rankings, published if the checks pass",
        "end to end",
        NightlySettings,
        nightly,
        flow=planned_flows,
    ),
)
