"""examples + features + the model that ranks → the same model, or a retrained one that is not worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame

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
from cqa_spark.lake.schemas.examples import IN_TRAINING
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.cross_fitted import CrossFittedModel
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.compute_features import values_by_place
from cqa_spark.steps.feature_inputs import IF_PRESENT, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.learning import learn
from cqa_spark.steps.train import write_importances
from cqa_spark.systems.feature_frames import frame_tables
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact, trained_system

GROWTH = 1 / 10
"""Share by which labels must have grown since the model was trained, or last challenged, for it to be retrained."""


def can_be_challenged(system: System) -> bool:
    """Whether a system's models score out of fold what they learned from, so that two of them can be compared."""
    return issubclass(system.build().model_type, CrossFittedModel)


def is_due(labels: int, learned: int, challenged: int) -> bool:
    """Whether a model is retrained.

    Args:
        labels: number of threads with a label that there are to learn from.
        learned: number of those that the model learned from.
        challenged: number of those that its last challenger learned from; 0 for none.
    """
    before = max(learned, challenged)
    return labels - before >= GROWTH * before


@dataclass(frozen=True)
class Challenge(Step):
    """Retrain a system on the sites of the lake when it is due; the retrained model ranks if it is not worse.

    Both are compared on all labelled queries of the lake, which each of them scores out of fold.

    Attributes:
        system: recipe of a system that ``can_be_challenged``.
        features: the cut of as-of groups.
        last: the published run; None in the first night, which does not retrain unless it is told to.
        forced: retrain even if it is not due.
    """

    system: System
    features: FeatureSettings
    last: Snapshot | None = None
    forced: bool = False

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
        """The outcome, and a better model with its feature importances."""
        return CHALLENGES, Artifact(model_artifact(self.system.name)), FEATURE_IMPORTANCES

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Retrain if it is due, compare, and use the better one."""
        before = self.last.entries_or_none(CHALLENGES) if self.last is not None else []
        entry = None
        if run.artifact(model_artifact(self.system.name)) is not None:
            entry = self._challenge(run, counts, before)
        run.write_entries(CHALLENGES, before if entry is None else [entry])

    def _challenge(self, run: Run, counts: StepRecord, before: Sequence[Entry]) -> Entry | None:
        """The outcome; None if the model is not challenged."""
        champion = trained_system(run, model_artifact(self.system.name))
        learned = champion.card.labels if champion.card is not None else 0
        challenged = max((entry["labels"] for entry in before if entry["system"] == self.system.name), default=0)
        examples = task_examples(run, self.system.task).where(IN_TRAINING)
        labels = counts.rows_in = examples.where("relevant").select("site", "fold_key").distinct().count()
        due = self.last is not None and champion.card is not None and is_due(labels, learned, challenged)
        if not (self.forced or due):
            return None
        with self._frame(run, champion.groups, examples) as frame:
            try:
                challenger = learn(self.system, frame, run.read(POSTS), run.read(COMMENTS), champion.groups, run.run_id)
            except InputError as error:
                Terminal(stderr=True).line(f"warning: {self.system.name} is not retrained: {error.problem}")
                return None
            labelled = frame.where("relevant IS NOT NULL")
            outcome = challenge(champion.model.transform(labelled), challenger.model.transform(labelled))
            if outcome.is_won:
                _replace(run, challenger)
        entry: Entry = {
            "system": self.system.name, "run_id": run.run_id, "champion": champion.training_run,
            "champion_labels": learned, "labels": labels, **outcome._asdict(), "won": outcome.is_won,
        }  # fmt: skip
        counts.rows_out = int(outcome.is_won)
        Terminal().line(verdict(entry))
        return entry

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


def _replace(run: Run, challenger: TrainedSystem) -> None:
    name = model_artifact(challenger.system.name)
    path = run.artifact_path("models", "challenger", name)
    challenger.save(path, run.lake.storage)
    run.add_artifact(name, path, loaded=challenger)
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
    )
    ranks = "the retrained model ranks from now on" if entry["won"] else "the earlier model stays"
    return (
        f"{entry['system']} was retrained on {entry['labels']:,} labelled threads, {entry['champion_labels']:,} "
        f"before: {compared}: {ranks}"
    )
