"""``cqa explain``: a thread's ranked candidates, and the feature contributions to each score."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import JobSettings, SettingsSection, SparkSettings
from cqa_spark.settings.values import NotHashed, RunName, Shown, SiteName, SystemName

if TYPE_CHECKING:
    from cqa_spark.lake.snapshot import Snapshot
    from cqa_spark.rankers.candidates import Candidates
    from cqa_spark.rankers.model import RankerModel
    from cqa_spark.reports.sections.explanation import Explained
    from cqa_spark.systems.system import System


class ExplainedSettings(SettingsSection):
    """Thread and system to explain."""

    flag_prefix = ""

    thread: Annotated[str, Shown("ID")] = Field(default="", description="id of the question")
    site: SiteName | None = Field(
        default=None, description="site of the question; required if several sites have this id"
    )
    system: SystemName | None = Field(
        default=None, description="system to explain; default: the first of the run that supports explanations"
    )


class ExplainSettings(JobSettings):
    """Show the ranked candidates of a thread, and the feature contributions to each score."""

    examples = (
        "cqa explain --lake build/lake --thread 42",
        "cqa explain --lake build/lake --run-id beer --thread 42 --site beer.stackexchange.com "
        "--system metadata_boosted_snapshot",
    )
    needs = ("explained.thread",)
    reading = ("{job.lake}: tables of run {job.published_run}",)
    writing = ()

    run_id: Annotated[
        RunName | None, NotHashed(), Field(description="run that trained the system; default: the published run")
    ] = None
    explained: ExplainedSettings = ExplainedSettings()
    # It reads one thread.
    spark: SparkSettings = SparkSettings(compile_plans=False)


def explain(settings: ExplainSettings) -> None:
    """Rank one thread's candidates with a trained system, and print the feature contributions; the run does not change.

    Raises:
        InputError: the run has no such thread, or several of that id.
        ConfigError: the system's ranker does not explain its scores.
    """
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.reports.sections import explanation
    from cqa_spark.runtime.workspace import read_lake

    asked = settings.explained
    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    explained = explained_thread(snapshot, asked.thread, system=asked.system, site=asked.site)
    explanation.console(explained, Terminal())


def explained_thread(snapshot: Snapshot, thread: str, *, system: str | None, site: str | None) -> Explained:
    """A thread's candidates as ranked by a trained system, with the feature contributions to each score.

    Args:
        snapshot: the run that trained the system, or those of several corpora.
        thread: id of the question.
        system: name of the system; None for the first that explains its scores.
        site: site of the question; None if only one site has this id.

    Raises:
        InputError: the run has no such thread, or several of that id.
        ConfigError: the system's ranker does not explain its scores.
    """
    from pyspark.sql import functions as F

    from cqa_spark.features.registry import meanings
    from cqa_spark.lake.schemas.examples import EXAMPLES
    from cqa_spark.rankers.scoring import collect_candidates
    from cqa_spark.systems.feature_frames import feature_frame
    from cqa_spark.systems.trained_system import model_artifact, numbered_groups

    snapshot = _run_with(snapshot, thread, site)
    recipe, model = explaining_system(snapshot, system)
    examples = snapshot.read(EXAMPLES)  # starts Spark, without which no column can be named
    of_thread = F.col("query_id") == thread
    if site is not None:
        of_thread &= F.col("site") == site
    examples = examples.where(F.col("task") == recipe.task)
    found = collect_candidates(feature_frame(snapshot, [recipe], examples, where=of_thread), model.description.features)
    _require_one_thread(set(found.examples.column("site").to_pylist()), snapshot.record.run_id, thread, site)
    path = snapshot.record.artifacts[model_artifact(recipe.name)]
    features = model.description.features
    about = meanings(features, numbered_groups(features, path, snapshot.lake.storage))
    return _explained(recipe, model, found, about)


def explaining_system(snapshot: Snapshot, name: str | None) -> tuple[System, RankerModel]:
    """The named system, or the first one by name whose ranker explains its scores.

    Raises:
        InputError: the run has not trained the named one.
        ConfigError: its ranker does not explain scores, or no ranker of the run does.
    """
    from cqa_spark.lake.model_folder import open_model_folder
    from cqa_spark.systems.trained_system import load_system, model_artifact

    prefix, run_id = model_artifact(""), snapshot.record.run_id
    trained = {key.removeprefix(prefix) for key in snapshot.record.artifacts if key.startswith(prefix)}
    if name is not None and name not in trained:
        raise InputError(
            f"run {run_id} has not trained {name}", f"it has trained {', '.join(sorted(trained)) or 'none'}"
        )
    wanted = [name] if name else sorted(trained)
    for each in wanted:
        path = snapshot.record.artifacts[model_artifact(each)]
        saved, model = load_system(open_model_folder(path, "trained_system", snapshot.lake.storage))
        if model.explains:
            return saved.system, model
    raise ConfigError(
        f"{', '.join(wanted) or 'the run'}: no ranker explains its scores",
        "name a system with boosted trees or a linear ranker with --system",
    )


def _run_with(snapshot: Snapshot, thread: str, site: str | None) -> Snapshot:
    """The run of the corpus that has a thread."""
    from pyspark.sql import functions as F

    from cqa_spark.lake.schemas.examples import EXAMPLES

    if len(snapshot.runs) == 1:
        return snapshot
    if site is None:
        rows = snapshot.read(EXAMPLES).where(F.col("query_id") == thread).select("site").distinct().collect()
        sites = {row["site"] for row in rows}
        _require_one_thread(sites, snapshot.record.run_id, thread, site)
        [site] = sites
    return snapshot.of_site(site)


def _require_one_thread(sites: Collection[str], run_id: str, thread: str, site: str | None) -> None:
    if len(sites) > 1:
        raise InputError(f"thread {thread} is on {', '.join(sorted(sites))}", "choose one with --site NAME")
    if not sites:
        where = f" on {site}" if site else ""
        raise InputError(
            f"run {run_id} has no examples of thread {thread}{where}", "name a question of the run's data set"
        )


def _explained(system: System, model: RankerModel, candidates: Candidates, about: Mapping[str, str]) -> Explained:
    from cqa_spark.rankers.rankings import best_first
    from cqa_spark.reports.reasons import reasons
    from cqa_spark.reports.sections.explanation import Explained
    from cqa_spark.steps.report import strongest_contributions

    scores, contributions = model.score(candidates), strongest_contributions(model, system, candidates, about)
    rows, order = candidates.examples.to_pylist(), best_first(candidates, scores)
    values = candidates.of(model.description.features)
    said = reasons([dict(zip(model.description.features, values[place], strict=True)) for place in order])
    return Explained(
        system=system.name,
        site=rows[0]["site"],
        thread=rows[0]["query_id"],
        split=rows[0]["split"],
        candidates=tuple(
            (rows[place]["candidate_id"], float(scores[place]), rows[place]["relevant"], contributions[place])
            for place in order
        ),
        reasons=tuple(said),
    )


JOBS = (
    Job(
        "explain",
        "show a thread's ranked candidates and the feature contributions to each score",
        "experiments",
        ExplainSettings,
        explain,
    ),
)
