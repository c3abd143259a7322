"""``cqa explain``: a thread's ranked candidates, and the feature contributions to each score."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import JobSettings, SettingsSection, SparkSettings
from cqa_spark.settings.values import NotHashed, OutputFile, RunName, Shown, SiteName, SystemName

if TYPE_CHECKING:
    from cqa_spark.lake.snapshot import Snapshot
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
        "cqa explain --lake build/lake --thread 42 --page build/thread.html",
    )
    needs = ("explained.thread",)
    reading = ("{job.lake}: tables of run {job.published_run}",)

    page: Annotated[OutputFile | None, NotHashed(), Field(description="HTML file to write; default: none")] = None
    run_id: Annotated[
        RunName | None, NotHashed(), Field(description="run that trained the system; default: the published run")
    ] = None
    explained: ExplainedSettings = ExplainedSettings()
    spark: SparkSettings = SparkSettings(compile_plans=False)  # compiling takes longer than reading one thread

    def writes(self) -> list[str]:
        """The page; never the lake."""
        return [self.page] if self.page else []


def explain(settings: ExplainSettings) -> None:
    """Rank one thread's candidates with a trained system, and show the feature contributions; the run does not change.

    Raises:
        InputError: the run has no such thread, or several of that id.
        ConfigError: the system's ranker does not explain its scores.
    """
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.object_store.locations import write_file
    from cqa_spark.reports import kinds
    from cqa_spark.reports.kit.page import page_bytes
    from cqa_spark.reports.sections import explanation
    from cqa_spark.runtime.workspace import read_lake

    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    question = settings.explained
    explained = explained_thread(snapshot, question.thread, system=question.system, site=question.site)
    explanation.console(explained, Terminal())
    if settings.page:
        page = kinds.EXPLANATION.collect(explained).page()
        write_file(settings.page, page_bytes(page), settings.object_storage)
        Terminal(stderr=True).line(f"page: {settings.page}")


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
    from cqa_spark.rankers.rankings import best_first
    from cqa_spark.rankers.scoring import collect_candidates
    from cqa_spark.reports.reasons import reasons
    from cqa_spark.reports.sections.explanation import Explained
    from cqa_spark.steps.report import strongest_contributions
    from cqa_spark.systems.feature_frames import feature_frame
    from cqa_spark.systems.trained_system import model_artifact, numbered_groups

    if len(snapshot.runs) > 1:
        # The system is of the run of the corpus that has the thread.
        if site is None:
            rows = snapshot.read(EXAMPLES).where(F.col("query_id") == thread).select("site").distinct().collect()
            sites = {row["site"] for row in rows}
            _require_one_site(sites, snapshot, thread, site)
            [site] = sites
        snapshot = snapshot.of_site(site)
    recipe, model = explaining_system(snapshot, system)
    features = model.description.features
    examples = snapshot.read(EXAMPLES)  # starts Spark, without which no column can be named
    of_thread = F.col("query_id") == thread
    if site is not None:
        of_thread &= F.col("site") == site
    examples = examples.where(F.col("task") == recipe.task)
    candidates = collect_candidates(feature_frame(snapshot, [recipe], examples, where=of_thread), features)
    rows = candidates.examples.to_pylist()
    _require_one_site({row["site"] for row in rows}, snapshot, thread, site)

    path = snapshot.record.artifacts[model_artifact(recipe.name)]
    about = meanings(features, numbered_groups(features, path, snapshot.lake.storage))
    scores, contributions = model.score(candidates), strongest_contributions(model, recipe, candidates, about)
    values = candidates.of(features)  # a row for each candidate, a column for each feature
    order = best_first(candidates, scores)  # numbers of these rows
    return Explained(
        system=recipe.name,
        site=rows[0]["site"],
        thread=rows[0]["query_id"],
        split=rows[0]["split"],
        candidates=tuple(
            (rows[row]["candidate_id"], float(scores[row]), rows[row]["relevant"], contributions[row]) for row in order
        ),
        reasons=tuple(reasons([dict(zip(features, values[row], strict=True)) for row in order])),
        totals=tuple(model.contributions(candidates).sum(axis=1)[order].tolist()),
    )


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
    candidates = [name] if name else sorted(trained)
    for candidate in candidates:
        path = snapshot.record.artifacts[model_artifact(candidate)]
        saved, model = load_system(open_model_folder(path, "trained_system", snapshot.lake.storage))
        if model.explains:
            return saved.system, model
    raise ConfigError(
        f"{', '.join(candidates) or 'the run'}: no ranker explains its scores",
        "name a system with boosted trees or a linear ranker with --system",
    )


def _require_one_site(sites: Collection[str], snapshot: Snapshot, thread: str, site: str | None) -> None:
    from pyspark.sql import functions as F

    from cqa_spark.lake.schemas.community import POSTS
    from cqa_spark.lake.schemas.rankings import RANKINGS

    if len(sites) > 1:
        raise InputError(f"thread {thread} is on {', '.join(sorted(sites))}", "choose one with --site NAME")
    if sites:
        return
    where = f" on {site}" if site else ""
    on_site = F.lit(True) if site is None else F.col("site") == site
    remedy = "name a question of the run's data set"
    if snapshot.has(RANKINGS):
        ranked = snapshot.read(RANKINGS).where(on_site).select("query_id").distinct().orderBy("query_id").limit(3)
        if known := [row["query_id"] for row in ranked.collect()]:
            remedy += f", such as {' or '.join(known)}"
    if snapshot.has(POSTS):
        posts = snapshot.read(POSTS).where(on_site).where(F.col("post_id") == thread).where("post_id <> thread_id")
        remedy += "".join(f"; {thread} is a post of thread {row['thread_id']}" for row in posts.limit(1).collect())
    raise InputError(f"run {snapshot.record.run_id} has no examples of thread {thread}{where}", remedy)


JOBS = (
    Job(
        "explain",
        "show a thread's ranked candidates and the feature contributions to each score",
        "experiments",
        ExplainSettings,
        explain,
    ),
)
