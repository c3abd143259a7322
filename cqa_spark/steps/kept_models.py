"""the published run → reusable trained systems."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np
import yaml
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.evaluation.statistics.clusters import OF_DIFFERENCES, ClusterSums, cluster_sums
from cqa_spark.features.feature_table import KEY, assemble, read_values
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.probe import values_hash
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.lake import RUNS, Lake
from cqa_spark.lake.model_folder import MANIFEST, OtherModelFormat, open_model_folder
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import IN_TRAINING, IS_MEASURED, QUERY
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.object_store.locations import copy_folder, open_store
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.cross_fitted import CrossFittedModel
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import FeatureSettings, ObjectStorageSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.feature_inputs import IF_PRESENT, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize, values_by_pass
from cqa_spark.steps.train import learn, write_importances
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.model_card import CARD, ModelCard
from cqa_spark.systems.shipped_models import shipped_model
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, load_recipe, model_artifact, trained_system


def kept_model(
    system: System, last: Snapshot | None, storage: ObjectStorageSettings, model: str | None = None
) -> str | None:
    """The folder of a trained system that can be reused.

    Args:
        system: its recipe.
        last: the published run.
        storage: object storage settings.
        model: folder of the trained system to use; None for that of the published run or, failing that, of the package.

    Returns:
        The folder, the published one if the given one is a copy of it; None if the system must be trained: there is
        none of its recipe that learned from the values that this release computes, in a format that it reads.

    Raises:
        InputError: the given folder contains no trained system, or another one.
        ContractError: the folder cannot be used.
    """
    published = last.record.artifacts.get(model_artifact(system.name)) if last is not None else None
    if model is None:
        return next((path for path in (published, shipped_model(system.name)) if _is_of(path, system, storage)), None)
    trained = load_recipe(open_model_folder(model, "trained_system", storage)).system
    if trained.name != system.name:
        raise InputError(f"{model} contains the system {trained.name}", f"name it: --system {trained.name}")
    return published if published is not None and _is_copy(published, model, storage) else model


def _is_of(path: str | None, system: System, storage: ObjectStorageSettings) -> bool:
    """Whether a folder has a model of a recipe and of its features' values, in a format that this release reads."""
    if path is None:
        return False
    try:
        folder = open_model_folder(path, "trained_system", storage)
        if load_recipe(folder).system.computation() != system.computation():
            return False
        if folder.has(CARD) and folder.read_json(CARD, ModelCard).features != values_hash(system.feature_groups):
            raise OtherModelFormat(
                f"the model in {path} learned from other values than those that its feature groups compute in this "
                "release",
                "nothing is to be done: another model takes its place",
            )
    except OtherModelFormat as error:
        Terminal(stderr=True).line(f"warning: {system.name} is not ranked with its last model: {error.problem}")
        return False
    return True


def _is_copy(folder: str, other: str, storage: ObjectStorageSettings) -> bool:
    """Whether two model folders have the same files, by their manifests, which have the hashes of all others."""
    one, two = (open_store(each, storage).read(MANIFEST) for each in (folder, other))
    return one is not None and two is not None and one.data == two.data


def challenging_release(system: System, kept: str, last: Snapshot | None, storage: ObjectStorageSettings) -> str | None:
    """The folder of the package's model of a system, if it has to challenge the one that ranked last night.

    The models of a release challenge once, and not those that somebody named.

    Args:
        system: its recipe.
        kept: folder of the model that ranked.
        last: the published run.
        storage: object storage settings.
    """
    released = shipped_model(system.name)
    if last is None or released is None or not _is_of(released, system, storage):
        return None
    if _is_copy(kept, released, storage) or _was_named(kept, last.lake):
        return None
    trained_in = load_recipe(open_model_folder(released, "trained_system", storage)).training_run
    challenges = (each for each in last.entries_or_none(CHALLENGES) if each["system"] == system.name)
    return None if any(trained_in in (each["run_id"], each["champion"]) for each in challenges) else released


def _was_named(folder: str, lake: Lake) -> bool:
    """Whether a model is one that ``--model`` named, by the settings of the run that it came with."""
    attempt, _, _ = folder.removeprefix(lake.path(f"{RUNS}/")).partition("/")
    records = RunLog(lake.objects).records(attempt.rpartition(".")[0])
    return any(yaml.safe_load(each.config).get("model") for each in records)


@dataclass(frozen=True)
class KeepModels(Step):
    """Reuse trained systems, and write their feature importances.

    Attributes:
        models: folder of each system, by name.
    """

    models: Mapping[str, str]

    name = "models"

    def writes(self) -> tuple[Product, ...]:
        """The models, and the feature importances."""
        return *[Artifact(model_artifact(name)) for name in self.models], FEATURE_IMPORTANCES

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Record the locations of the models, and load them."""
        counts.rows_in = counts.rows_out = len(self.models)
        for name, path in self.models.items():
            run.add_artifact(model_artifact(name), _in_lake(run, name, path))
        write_importances(run, [trained_system(run, model_artifact(name)) for name in self.models])


def _in_lake(run: Run, name: str, path: str) -> str:
    """The folder of a trained system in the run's lake; one from outside is copied there, so that the lake moves whole.

    Args:
        run: the run.
        name: of the system.
        path: its folder.
    """
    if path.startswith(run.lake.path("")):
        return path
    copy = run.artifact_path("models", model_artifact(name))
    copy_folder(path, copy, run.lake.storage)
    return copy


# The paired test of a retrained model against the one that ranks: P@1 on the same queries, with errors by thread.

_THREAD = ("site", "fold_key")


class ChallengeResult(NamedTuple):
    """The difference of P@1, challenger minus champion, as a fraction.

    ``low`` and ``high`` bound its 95 % interval, which is infinite for a single thread; ``p_value`` is two-sided.
    """

    difference: float
    low: float
    high: float
    p_value: float
    queries: int
    threads: int

    @property
    def is_won(self) -> bool:
        """Whether the challenger is not worse; without any query, nothing says so."""
        return self.queries > 0 and self.difference >= 0


def challenge(champion: DataFrame, challenger: DataFrame) -> ChallengeResult:
    """Compare two models on the same labelled candidates; sums are computed where the rows are.

    Args:
        champion: candidates with ``score``, none of which the model learned from.
        challenger: the same candidates, likewise.
    """
    key = (*QUERY, "candidate_id")
    other = challenger.select(*key, F.col("score").alias("other"))
    both = champion.join(other, on=list(key)).groupBy(*QUERY, "fold_key")
    hits = both.agg(*[_hit(name).alias(name) for name in ("score", "other")])
    gain = F.col("other") - F.col("score")
    of_threads = hits.groupBy(*_THREAD).agg(F.sum(gain).alias("gain"), F.count(F.lit(1)).alias("queries"))
    (totals,) = of_threads.select(cluster_sums("gain", "queries").alias("sums")).collect()
    sums = ClusterSums(*totals["sums"])
    if not sums.clusters:
        return ChallengeResult(0.0, -np.inf, np.inf, 1.0, 0, 0)
    found = sums.estimate(OF_DIFFERENCES)
    return ChallengeResult(found.value, found.low, found.high, found.p_value, int(found.queries), found.clusters)


def _hit(score: str) -> F.Column:
    """P@1 of a query: the share of relevant candidates among those with the highest score."""
    ordered = F.struct(F.col(score).alias("score"), F.col("relevant").cast("int").alias("relevant"))
    rows = F.collect_list(ordered)
    first = F.filter(rows, lambda row: row["score"] == F.array_max(F.transform(rows, lambda each: each["score"])))
    hits = F.aggregate(first, F.lit(0), lambda total, row: total + row["relevant"])
    return hits / F.size(first)


# examples + features + the model that ranks → the same model, or a newer one that is not worse.

GROWTH = 1 / 10
"""Share by which labels must have grown since the model was trained, or last challenged, for it to be retrained."""


def can_be_challenged(system: System) -> bool:
    """Whether a system's models score out of fold what they learned from, so that two of them can be compared."""
    return issubclass(system.build().model_type, CrossFittedModel)


def is_due(labels: int, learned: int, age: int, max_age: int) -> bool:
    """Whether a model is retrained: there is a tenth more to learn from, or it is old and there is no less.

    Args:
        labels: number of threads with a label that there are to learn from.
        learned: number of those that the model, or the last model retrained from it, learned from.
        age: number of days from what that model learned from to tonight.
        max_age: age in days from which a model is old.
    """
    return labels - learned >= (0 if age >= max_age else GROWTH) * learned


@dataclass(frozen=True)
class Challenge(Step):
    """Compare the model that ranks with a newer one, which ranks from then on if it is not worse.

    The newer model is that of the package, where the release ships another one, or is retrained on the sites of the
    lake, when it is due. Both are compared on all labelled queries of the lake, which each of them scores out of fold.

    Attributes:
        system: recipe of a system that ``can_be_challenged``.
        features: the cut of as-of groups.
        last: the published run; None in the first night, which does not retrain unless it is told to.
        forced: retrain even if it is not due.
        max_age: age in days from which a model is old.
        released: folder of the package's model, if it has to challenge; None if not.
    """

    system: System
    features: FeatureSettings
    last: Snapshot | None = None
    forced: bool = False
    max_age: int = 365
    released: str | None = None

    name = "retrain"

    def reads(self) -> tuple[Product, ...]:
        """Examples with their posts and comments, features, and the model."""
        model = Artifact(model_artifact(self.system.name))
        return (
            *Featurize(self.system.feature_groups, self.system.task, self.features).reads(),
            *frame_tables([self.system]),
            model,
        )

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The outcomes, and a better model with its feature importances."""
        return CHALLENGES, Artifact(model_artifact(self.system.name)), FEATURE_IMPORTANCES

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare with the model of the release, then with a retrained one, and use the better one."""
        outcomes = self.last.entries_or_none(CHALLENGES) if self.last is not None else []
        if run.artifact(model_artifact(self.system.name)) is not None:
            for challenged_by in (self._release, self._retrained):
                entry = challenged_by(run, counts, outcomes)
                if entry is not None:
                    outcomes = [*(each for each in outcomes if _about(each) != _about(entry)), entry]
                    counts.rows_out += entry["won"]
                    Terminal().line(verdict(entry))
        run.write_entries(CHALLENGES, outcomes)

    def _release(self, run: Run, counts: StepRecord, before: Sequence[Entry]) -> Entry | None:
        if self.released is None:
            return None
        challenger = TrainedSystem.load(self.released, run.lake.storage)
        with feature_frames(run, [self.system], task_examples(run, self.system.task).where(IS_MEASURED)) as frame_of:
            outcome, entry = _compared(run, frame_of(self.system), challenger, released=True)
        # Where no night tells them apart, nothing was trained in the lake, and the newer release is trusted.
        won = outcome.difference >= 0
        if won:
            path = _path(run, challenger)
            copy_folder(self.released, path, run.lake.storage)
            _replace(run, challenger, path)
        return entry | {"won": won}

    def _retrained(self, run: Run, counts: StepRecord, before: Sequence[Entry]) -> Entry | None:
        champion = trained_system(run, model_artifact(self.system.name))
        examples = task_examples(run, self.system.task)
        labelled = F.when(F.expr(f"{IN_TRAINING} AND relevant"), F.struct("site", "fold_key"))
        tonight = examples.agg(
            F.count_distinct(labelled).alias("labels"), F.to_date(F.max("cut_at")).alias("date")
        ).first()
        assert tonight is not None, "an aggregate has one row"
        labels = counts.rows_in = tonight["labels"]
        if not (self.forced or self._is_due(labels, tonight["date"], champion.card, before)):
            return None
        with self._frame(run, champion.groups, examples.where(IN_TRAINING)) as frame:
            try:
                challenger = learn(self.system, frame, run.read(POSTS), run.read(COMMENTS), champion.groups, run.run_id)
            except InputError as error:
                Terminal(stderr=True).line(f"warning: {self.system.name} is not retrained: {error.problem}")
                return None
            outcome, entry = _compared(run, frame, challenger, released=False)
        if outcome.is_won:
            path = _path(run, challenger)
            challenger.save(path, run.lake.storage)
            _replace(run, challenger, path)
        return entry | {"won": outcome.is_won}

    def _is_due(self, labels: int, tonight: date, card: ModelCard | None, before: Sequence[Entry]) -> bool:
        if self.last is None or card is None:
            return False
        retrained = [each for each in before if _about(each) == (self.system.name, False)]
        learned = max([card.labels, *(each["labels"] for each in retrained)])
        newest = max([card.newest, *(each["newest"] for each in retrained if each["newest"] is not None)])
        return is_due(labels, learned, (tonight - newest).days, self.max_age)

    @contextmanager
    def _frame(self, run: Run, groups: Mapping[str, FeatureGroup], examples: DataFrame) -> Iterator[DataFrame]:
        """Training examples with their features, which are computed for undecided nights."""
        stored = read_values(run, groups)
        without = examples.join(next(iter(stored.values())), on=list(KEY), how="left_anti")
        with feature_inputs(run, without, self.features) as inputs:
            computed = values_by_pass(run, list(groups.values()), inputs)
            values = {place: rows.unionByName(computed[place]) for place, rows in stored.items()}
            with persisted(assemble(examples, groups, values)) as (frame,):
                yield frame


def _about(entry: Entry) -> tuple[str, bool]:
    """The system of an entry of ``CHALLENGES``, and whether its challenger came with a release."""
    return entry["system"], bool(entry["released"])


def _compared(
    run: Run, frame: DataFrame, challenger: TrainedSystem, *, released: bool
) -> tuple[ChallengeResult, Entry]:
    """The outcome of the comparison with the model that ranks, and its entry of ``CHALLENGES`` but for ``won``."""
    champion = trained_system(run, model_artifact(challenger.system.name))
    labelled = frame.where("relevant IS NOT NULL")
    outcome = challenge(champion.model.transform(labelled), challenger.model.transform(labelled))
    assert challenger.card is not None, "systems that learned from nights have cards"
    return outcome, {
        "system": challenger.system.name, "run_id": challenger.training_run, "champion": champion.training_run,
        "champion_labels": champion.card.labels if champion.card is not None else 0,
        "labels": challenger.card.labels, "newest": challenger.card.newest, "released": released,
        **outcome._asdict(),
    }  # fmt: skip


def _path(run: Run, challenger: TrainedSystem) -> str:
    return run.artifact_path("models", "challenger", model_artifact(challenger.system.name))


def _replace(run: Run, challenger: TrainedSystem, path: str) -> None:
    run.add_artifact(model_artifact(challenger.system.name), path, loaded=challenger)
    write_importances(run, [challenger])


def verdict(entry: Entry) -> str:
    """The outcome of a challenge, in words.

    Args:
        entry: of the table ``challenges``.
    """
    outcome = ChallengeResult(**{name: entry[name] for name in ChallengeResult._fields})
    compared = (
        f"P@1 {100 * outcome.difference:+.1f} (95 % {100 * outcome.low:+.1f} to {100 * outcome.high:+.1f}) "
        f"on {outcome.queries:,} nights of {outcome.threads:,} threads"
        if outcome.queries
        else "no replayed night compares them"
    )
    came = "comes with this release as a model trained on" if entry["released"] else "was retrained on"
    new = "model of the release" if entry["released"] else "retrained model"
    ranks = f"the {new} ranks from now on" if entry["won"] else "the earlier model stays"
    return (
        f"{entry['system']} {came} {entry['labels']:,} labelled threads, {entry['champion_labels']:,} "
        f"before: {compared}: {ranks}"
    )
