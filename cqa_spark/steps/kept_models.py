"""the models of last night or of a release → the models of tonight, challenged by newer ones."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow as pa
import yaml
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.statistics.nights import compare_hits, expected_hits
from cqa_spark.features.feature_table import KEY, assemble, read_values
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.probe import values_hash
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.lake import RUNS, Lake
from cqa_spark.lake.model_folder import MANIFEST, OtherModelFormat, open_model_folder
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import IN_TRAINING, IS_MEASURED
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.object_store.locations import copy_folder, open_store
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.cross_fitted import CrossFittedModel
from cqa_spark.rankers.model import RankerModel
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import FeatureSettings, ObjectStorageSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.feature_inputs import IF_PRESENT, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize, values_by_pass
from cqa_spark.steps.score import map_queries
from cqa_spark.steps.train import add_model, card_of, fit_system, write_importances
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.model_card import CARD, ModelCard
from cqa_spark.systems.shipped_models import shipped_model
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, load_recipe, model_artifact, trained_system
from cqa_spark.task_contract.leakage import training_threads


@dataclass(frozen=True)
class KeepModels(Step):
    """Reuse trained systems, and write their feature importances.

    A model from outside of the lake is copied into it, so that the lake can be moved as a whole.

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
            if not path.startswith(run.lake.path("")):
                copy = run.artifact_path("models", model_artifact(name))
                copy_folder(path, copy, run.lake.storage)
                path = copy
            run.add_artifact(model_artifact(name), path)
        write_importances(run, [trained_system(run, model_artifact(name)) for name in self.models])


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
    first, second = (open_store(path, storage).read(MANIFEST) for path in (folder, other))
    return first is not None and second is not None and first.data == second.data


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
    challenges = [entry for entry in last.entries_or_none(CHALLENGES) if entry["system"] == system.name]
    has_challenged = any(trained_in in (entry["run_id"], entry["champion"]) for entry in challenges)
    return None if has_challenged else released


def _was_named(folder: str, lake: Lake) -> bool:
    """Whether a model is one that ``--model`` named, by the settings of the run that it came with."""
    attempt, _, _ = folder.removeprefix(lake.path(f"{RUNS}/")).partition("/")
    records = RunLog(lake.objects).records(attempt.rpartition(".")[0])
    return any(yaml.safe_load(record.config).get("model") for record in records)


# Newer models challenge the model that ranks.

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
            for challenge in (self._release, self._retrain):
                entry = challenge(run, counts, outcomes)
                if entry is not None:
                    outcomes = [*(before for before in outcomes if _about(before) != _about(entry)), entry]
                    counts.rows_out += entry["won"]
                    Terminal().line(verdict(entry))
        run.write_entries(CHALLENGES, outcomes)

    def _release(self, run: Run, counts: StepRecord, before: Sequence[Entry]) -> Entry | None:
        if self.released is None:
            return None
        challenger = TrainedSystem.load(self.released, run.lake.storage)
        with feature_frames(run, [self.system], task_examples(run, self.system.task).where(IS_MEASURED)) as frame_of:
            entry = _compared(run, frame_of(self.system), challenger, released=True)
        # Where no night tells them apart, nothing was trained in the lake, and the newer release is trusted.
        won = entry["difference"] >= 0
        if won:
            name = model_artifact(self.system.name)
            path = run.artifact_path("models", "challenger", name)
            copy_folder(self.released, path, run.lake.storage)
            run.add_artifact(name, path, loaded=challenger)
            write_importances(run, [challenger])
        return entry | {"won": won}

    def _retrain(self, run: Run, counts: StepRecord, before: Sequence[Entry]) -> Entry | None:
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
            posts, comments = run.read(POSTS), run.read(COMMENTS)
            try:
                card, threads = card_of(self.system, frame, posts), training_threads(frame, posts, comments)
                challenger = fit_system(run, self.system, frame, threads, champion.groups, card=card)
            except (ConfigError, InputError) as error:  # too little to learn from, or executors that come and go
                Terminal(stderr=True).line(f"warning: {self.system.name} is not retrained: {error.problem}")
                return None
            entry = _compared(run, frame, challenger, released=False)
        won = entry["queries"] > 0 and entry["difference"] >= 0
        if won:
            add_model(run, model_artifact(self.system.name), challenger, copy="challenger")
            write_importances(run, [challenger])
        return entry | {"won": won}

    def _is_due(self, labels: int, tonight: date | None, card: ModelCard | None, before: Sequence[Entry]) -> bool:
        if self.last is None or card is None or tonight is None:
            return False
        retrained = [entry for entry in before if _about(entry) == (self.system.name, False)]
        learned = max([card.labels, *(entry["labels"] for entry in retrained)])
        newest = max([card.newest, *(entry["newest"] for entry in retrained if entry["newest"] is not None)])
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


def _compared(run: Run, frame: DataFrame, challenger: TrainedSystem, *, released: bool) -> Entry:
    """The entry of ``CHALLENGES`` on the comparison with the model that ranks, but for ``won``."""
    champion = trained_system(run, model_artifact(challenger.system.name))
    compared = compare_models(frame.where("relevant IS NOT NULL"), champion.model, challenger.model)
    assert challenger.card is not None, "systems that learned from nights have cards"
    entry = {
        "system": challenger.system.name, "run_id": challenger.training_run, "champion": champion.training_run,
        "champion_labels": champion.card.labels if champion.card is not None else 0,
        "labels": challenger.card.labels, "newest": challenger.card.newest, "released": released,
    }  # fmt: skip
    if compared is None:
        nothing = {"difference": 0.0, "low": -np.inf, "high": np.inf, "p_value": 1.0, "queries": 0, "threads": 0}
        return entry | nothing
    return entry | {
        "difference": compared["difference"], "low": compared["difference_low"], "high": compared["difference_high"],
        "p_value": compared["p_value"], "queries": compared["queries"], "threads": compared["topics"],
    }  # fmt: skip


def compare_models(frame: DataFrame, champion: RankerModel, challenger: RankerModel) -> Entry | None:
    """Compare two models by P@1 on the same labelled queries, with a paired test by thread.

    Args:
        frame: labelled candidates with the models' features; no model has learned from what it scores.
        champion: the model that ranks.
        challenger: the one that may take its place.

    Returns:
        The entry of the challenger, as from ``compare_hits``; None without a query.
    """

    def hits(candidates: Candidates) -> pa.Table:
        queries = candidates.examples.take(pa.array(candidates.starts))
        relevant = candidates.examples["relevant"].to_numpy(zero_copy_only=False).astype(np.bool_)
        columns = {"order": pa.repeat("", len(queries)), "site": queries["site"], "thread_id": queries["fold_key"]}
        for name, model in (("hit0", champion), ("hit1", challenger)):
            columns[name] = pa.array(expected_hits(model.score(candidates), relevant, candidates.starts))
        return pa.table(columns)

    schema = "order string, site string, thread_id string, hit0 double, hit1 double"
    compared = compare_hits(map_queries(frame, hits, schema), ["champion", "challenger"])
    return compared[1] if compared else None


def verdict(entry: Entry) -> str:
    """The outcome of a challenge, in words.

    Args:
        entry: of the table ``challenges``.
    """
    difference, low, high = (f"{100 * entry[name]:+.1f}" for name in ("difference", "low", "high"))
    compared = (
        f"P@1 {difference} [{low}, {high}] on {entry['queries']:,} nights of {entry['threads']:,} threads"
        if entry["queries"]
        else "no replayed night compares them"
    )
    came = "comes with this release as a model trained on" if entry["released"] else "was retrained on"
    new = "model of the release" if entry["released"] else "retrained model"
    ranks = f"the {new} ranks from now on" if entry["won"] else "the earlier model stays"
    return (
        f"{entry['system']} {came} {entry['labels']:,} labelled threads, {entry['champion_labels']:,} "
        f"before: {compared}: {ranks}"
    )
