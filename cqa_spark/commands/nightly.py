"""``cqa nightly``: a new dump → new rankings, checked and published atomically."""

from __future__ import annotations

from cqa_spark import flows
from cqa_spark.config.settings import NightlySettings
from cqa_spark.corpora.registry import dump_sources
from cqa_spark.corpora.source import Source
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.console import print_grid
from cqa_spark.reports.night.grids import night_grids
from cqa_spark.runtime.workspace import run_flow_in, write_lake
from cqa_spark.steps.kept_models import kept_model, published_before
from cqa_spark.steps.report import report_content


def nightly(settings: NightlySettings) -> None:
    """Run the nightly job.

    Raises:
        AnotherWriter: another process writes the lake.
        ChecksFailed: the run is finished and not published.
    """
    source = _one_dump(settings)
    with write_lake(settings, "nightly") as lake:
        last = published_before(lake)
        flow = flows.nightly(settings, source, last=last, kept=_kept_models(settings, last))
        run = run_flow_in(lake, flow, settings, on_success=_print_night)
    Terminal().line(f"report: {run.record.artifacts['report']}")
    Terminal().line(f"run: {run.run_id}, published")
    Terminal().line(f"rankings: cqa export published --lake {settings.lake} --output FOLDER writes them to files")


def _one_dump(settings: NightlySettings) -> Source:
    """The dump of each site.

    Raises:
        InputError: a site has several dumps; a nightly run takes one.
    """
    sources = dump_sources(settings.dump_format, settings, full=settings.full)
    if len(sources) > 1:
        raise InputError(
            f"{len(sources)} dumps of one site", "name one of them with --input; a nightly run takes one dump"
        )
    return sources[0]


def _kept_models(settings: NightlySettings, last: Snapshot | None) -> dict[str, str]:
    """The folders of the trained systems that are reused, by name."""
    given = {settings.system: settings.model}
    found = {
        system.name: kept_model(system, last, settings.object_storage, given.get(system.name))
        for system in flows.night_systems(settings)
    }
    return {name: path for name, path in found.items() if path is not None}


def _print_night(run: Run) -> None:
    """Print what changed and the verdicts, before anything is published."""
    night, terminal = report_content(run).night, Terminal()
    assert night is not None, "the run was checked"
    for grid in night_grids(night):
        print_grid(grid, terminal)
