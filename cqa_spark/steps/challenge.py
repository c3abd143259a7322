"""examples + features + the model that ranks → the same model, or a newer one that is not worse."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.errors import InputError
from cqa_spark.evaluation.challenge import ChallengeResult, challenge
from cqa_spark.features.assembly import assemble
from cqa_spark.features.feature_table import KEY, read_values
from cqa_spark.features.group import FeatureGroup
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import IN_TRAINING, IS_MEASURED
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.object_store.locations import copy_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.cross_fitted import CrossFittedModel
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.compute_features import values_by_place
from cqa_spark.steps.feature_inputs import IF_PRESENT, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.learning import learn
from cqa_spark.steps.train import write_importances
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.model_card import ModelCard
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact, trained_system

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
            computed = values_by_place(run, list(groups.values()), inputs)
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
