"""``cqa nightly``: a new dump, or new files → new rankings, checked and published atomically."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cqa_spark import flows
from cqa_spark.corpora.disk_space import require_space_for_dumps
from cqa_spark.corpora.source import Source, file_source, is_of_dumps, one_dump, planned_dump, site_of
from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake, LeasedLake
from cqa_spark.lake.opening import refuse_unusable_lake
from cqa_spark.lake.publishing import INDEX
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.night import CHANGES, CHECKS, FIRST_ANSWERS
from cqa_spark.lake.snapshot import Snapshot, published_of
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections import first_answers, night, night_worth
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.workspace import code_version, open_run_in, run_flow_in, write_lake
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.rendering import config_hash
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.session import session_of
from cqa_spark.steps.kept_models import challenging_release, kept_model
from cqa_spark.steps.publish import publish_run
from cqa_spark.steps.report import written_report
from cqa_spark.systems.recipes import learn
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact


@dataclass(frozen=True)
class NightPlan:
    """What a night does with a lake; ``--dry-run`` prints its flows, and the night runs them.

    Attributes:
        settings: of the job.
        systems: the system that ranks, and the simple orders of its task.
        source: the dump, or the files.
        last: the published run; None before the first publication.
        kept: folder of each reused trained system, by name.
        released: folder of each model of the package that challenges one of these, by name.
    """

    settings: NightlySettings
    systems: Sequence[System]
    source: Source
    last: Snapshot | None
    kept: Mapping[str, str]
    released: Mapping[str, str]

    @classmethod
    def of(
        cls, settings: NightlySettings, systems: Sequence[System], source: Source, last: Snapshot | None
    ) -> NightPlan:
        """The plan for a published run, with the models that can be reused."""
        kept = _kept_models(settings, systems, last)
        return cls(settings, systems, source, last, kept, _challenging_releases(settings, systems, last, kept))

    @property
    def learners(self) -> list[System]:
        """The systems that learn on annotated files, in a run of its own; dumps have labels themselves."""
        new = [system for system in self.systems if system.name not in self.kept and learn([system])]
        return [] if new and is_of_dumps(flows.night_format(self.settings, new)) else new

    @property
    def carried(self) -> Snapshot | None:
        """The published run if it is a night of the same dump, code, settings and models; needs no Spark."""
        settings, last = self.settings, self.last
        is_unchanged = (
            last is not None
            and not (settings.full or settings.retrain or self.released or self.learners)
            and last.record.code_version == code_version()
            and last.record.config_hash == config_hash(settings)
            and all(last.record.artifacts.get(model_artifact(name)) == path for name, path in self.kept.items())
            and last.has(CHECKS)
            and self.source.is_unchanged(last, last.record.code_version)
        )
        return last if is_unchanged else None

    def training(self) -> Flow | None:
        """The run before, in which systems learn from annotated files; None if there are none to train.

        Raises:
            ConfigError: systems that learn from annotated files have neither files nor a model.
        """
        if not self.learners:
            return None
        settings, source_format = self.settings, flows.night_format(self.settings, self.learners)
        if not settings.inputs.train:
            raise ConfigError(
                f"{self.learners[0].name} is not trained, and files of {source_format} are ranked without learning "
                "from them",
                "name annotated files with --train, in the first night, or a trained system with --model",
            )
        site = site_of(source_format, settings)
        files = {"train": settings.inputs.train}
        source = file_source(source_format, files, site=site, storage=settings.object_storage)
        return flows.training_on_files(source, source_format, self.learners, settings.features)

    def ranking(self, trained: Mapping[str, str]) -> Flow:
        """The run that ranks.

        Args:
            trained: folders of the systems that the run before has trained, by name.
        """
        return flows.nightly(
            self.settings,
            self.systems,
            self.source,
            last=self.last,
            kept={**self.kept, **trained},
            released=self.released,
        )


def planned_flows(settings: NightlySettings) -> list[Flow]:
    """The flows that a night would run now; none if it would publish the last run again.

    A lake or dumps in object storage that do not answer here are taken to be those of a first night, with a warning.
    """
    systems = flows.night_systems(settings)
    corpus = flows.night_format(settings, systems)
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
    systems = flows.night_systems(settings)
    corpus = flows.night_format(settings, systems)
    source = one_dump(corpus, settings, full=settings.full)
    _require_space(settings, corpus, source)
    with write_lake(settings, "nightly") as lake:
        plan = NightPlan.of(settings, systems, source, published_of(lake, corpus))
        if (carried := plan.carried) is not None:
            run = _carry(lake, settings, carried)
        else:
            flow = plan.ranking(_train(lake, plan))
            run = run_flow_in(lake, flow, settings, on_success=_print_night)
        found = collect(lake, settings.keep)
    terminal = Terminal()
    if found.files:
        terminal.line(f"deleted {found.files} files that no kept run needs, {found.bytes / 1e6:,.1f} MB")
    terminal.line(f"report: {run.record.artifacts['report']}")
    if settings.pages:
        terminal.line(f"threads: {settings.lake}/{INDEX} searches them")
    terminal.line(f"run: {run.run_id}, published")
    terminal.line(f"rankings: cqa export published --lake {settings.lake} --output FOLDER writes them to files")


def _require_space(settings: NightlySettings, corpus: str, source: Source) -> None:
    """Check that local disks have room for the changed sites, or for all of them if settings changed."""
    last = published_of(Lake(lambda: session_of(settings), settings.lake, settings.object_storage), corpus)
    if last is not None and last.record.config_hash != config_hash(settings):
        last = None
    require_space_for_dumps(settings, source.bytes_to_read(last, code_version()))


def _carry(lake: LeasedLake, settings: NightlySettings, last: Snapshot) -> Run:
    """Publish a run with the files of the published one, because no site has changed."""
    with open_run_in(lake, settings, "nightly", resume=False) as run:
        run.carry(last)
        run.write_entries(CHANGES, [])
        run.write_entries(FIRST_ANSWERS, [])
    Terminal().line(f"no site has changed since run {last.record.run_id}: its rankings and its report stay")
    publish_run(lake, run.run_id, reason=f"no site has changed since run {last.record.run_id}")
    return run


def _kept_models(settings: NightlySettings, systems: Sequence[System], last: Snapshot | None) -> dict[str, str]:
    """The folders of the trained systems that are reused, by name."""
    given = {settings.system: settings.model}
    found = {
        system.name: kept_model(system, last, settings.object_storage, given.get(system.name)) for system in systems
    }
    return {name: path for name, path in found.items() if path is not None}


def _challenging_releases(
    settings: NightlySettings, systems: Sequence[System], last: Snapshot | None, kept: Mapping[str, str]
) -> dict[str, str]:
    """The folders of the package's models that challenge those of the lake, by name; none if a model is named."""
    found = {
        system.name: challenging_release(system, kept[system.name], last, settings.object_storage)
        for system in systems
        if system.name in kept and settings.model is None
    }
    return {name: path for name, path in found.items() if path is not None}


def _train(lake: LeasedLake, plan: NightPlan) -> dict[str, str]:
    """Train the systems that learn on annotated files; return their folders by name."""
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
    written_report(run).show(Terminal(), night_worth.SECTION, first_answers.SECTION, night.SECTION)
