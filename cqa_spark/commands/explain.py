"""``cqa explain``: a thread's ranked candidates, and the feature contributions to each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.config.settings import ExplainSettings
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.storage import Lake
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.rankings import rank
from cqa_spark.reports.explanation.console import print_explanation
from cqa_spark.reports.explanation.content import Explained, FeatureContribution
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.steps.explanations import Candidate, explains, pushes
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system


def explain(settings: ExplainSettings) -> None:
    """Rank one thread's candidates with a trained system, and print the feature contributions; the run does not change.

    Raises:
        InputError: the run has no such thread, or several of that id.
        ConfigError: the system's ranker does not explain its scores.
    """
    asked = settings.explained
    found = explained_thread(read_lake(settings), settings.run_id, asked.thread, system=asked.system, site=asked.site)
    print_explanation(found, Terminal())


def explained_thread(lake: Lake, run_id: str, thread: str, *, system: str | None, site: str | None) -> Explained:
    """A thread's candidates as ranked by a trained system, with the feature contributions to each score.

    Args:
        lake: the lake.
        run_id: the run that trained the system.
        thread: id of the question.
        system: name of the system; None for the first that explains its scores.
        site: site of the question; None if only one site has this id.

    Raises:
        InputError: the run has no such thread, or several of that id.
        ConfigError: the system's ranker does not explain its scores.
    """
    run = Run(lake, RunLog(lake.objects).require_success(run_id), on_step=lambda step: None)
    assert lake.spark is not None  # started here: feature groups that know authors are loaded by Spark
    recipe, model = explaining_system(run, system)
    examples = thread_examples(run, recipe.task, thread, site)
    with feature_frames(run, [recipe], examples, few=True) as frame_of:
        scored = model.transform(frame_of(recipe)).persist()
        ranks = rank(scored, recipe.name, run.run_id).select("candidate_id", "rank")
        rows = scored.select("site", "query_id", "candidate_id", "split", "relevant", "score").join(
            ranks, "candidate_id"
        )
        ranked = rows.orderBy("rank").collect()
        moved = pushes(model, recipe, frame_of(recipe))
        scored.unpersist()
    return _explained(recipe, ranked, moved)


def explaining_system(run: Run, name: str | None) -> tuple[System, RankerModel]:
    """The named system, or the first one by name whose ranker explains its scores.

    Raises:
        InputError: the run has not trained the named one.
        ConfigError: it cannot, or none of the run's can.
    """
    prefix = model_artifact("")
    trained = {key.removeprefix(prefix) for key in run.record.artifacts if key.startswith(prefix)}
    if name is not None and name not in trained:
        raise InputError(
            f"run {run.run_id} has not trained {name}", f"it has trained {', '.join(sorted(trained)) or 'none'}"
        )
    wanted = [name] if name else sorted(trained)
    for each in wanted:
        found = trained_system(run, model_artifact(each))
        if explains(found.model):
            return found.system, found.model
    raise ConfigError(
        f"{', '.join(wanted) or 'the run'}: no ranker explains its scores",
        "name a system with boosted trees or a linear ranker with --system",
    )


def thread_examples(run: Run, task: str, thread: str, site: str | None) -> DataFrame:
    """The examples of one thread.

    Raises:
        InputError: there are none, or several sites have the thread.
    """
    examples = run.read(EXAMPLES).where((F.col("task") == task) & (F.col("query_id") == thread))
    sites = sorted(row["site"] for row in examples.select("site").distinct().collect())
    if site is None and len(sites) > 1:
        raise InputError(f"thread {thread} is on {', '.join(sites)}", "choose one with --site NAME")
    wanted = site or "".join(sites)
    if wanted not in sites:
        where = f" on {site}" if site else ""
        raise InputError(
            f"run {run.run_id} has no examples of thread {thread}{where}", "name a question of the run's data set"
        )
    return examples.where(F.col("site") == F.lit(wanted))


def _explained(
    system: System, ranked: Sequence[Row], moved: Mapping[Candidate, tuple[FeatureContribution, ...]]
) -> Explained:
    first = ranked[0]
    return Explained(
        system=system.name,
        site=first["site"],
        thread=first["query_id"],
        split=first["split"],
        candidates=tuple(
            (
                row["candidate_id"],
                row["score"],
                row["relevant"],
                moved[row["site"], row["query_id"], row["candidate_id"]],
            )
            for row in ranked
        ),
    )
