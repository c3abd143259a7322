"""The base class of experiments: steps that train systems in other ways, and write what each way is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from cqa_spark.config.sections import EvaluationSettings, FeatureSettings
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.feature_inputs import IF_PRESENT
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import frame_tables
from cqa_spark.systems.recipes import groups_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact


@dataclass(frozen=True)
class Experiment(Step):
    """Trains systems in other ways, and evaluates them on the same queries.

    Attributes:
        table: the table that it writes.
        systems: recipes that the run has trained.
        settings: measure (the first one) and resampling.
    """

    table: ClassVar[JournalTable]

    systems: Sequence[System]
    settings: EvaluationSettings

    def reads(self) -> tuple[Product, ...]:
        """Examples, features, models."""
        models = [Artifact(model_artifact(system.name)) for system in self.systems]
        return EXAMPLES, *frame_tables(self.systems), *models

    def writes(self) -> tuple[Product, ...]:
        """The table."""
        return (self.table,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute and write the entries."""
        systems = trained_recipes(run, self.systems)
        counts.rows_in = len(systems)
        counts.rows_out = run.write_entries(self.table, self.entries(run, systems))

    def entries(self, run: Run, systems: Sequence[System]) -> list[Entry]:
        """The entries of the table, of one system after the other, as they were trained."""
        return [entry for system in systems for entry in self.of_system(run, system)]

    def of_system(self, run: Run, system: System) -> list[Entry]:
        """The entries about a system; experiments that compare systems define ``entries`` instead."""
        raise NotImplementedError(f"{type(self).__name__} compares systems")


@dataclass(frozen=True)
class RefittingExperiment(Experiment):
    """An experiment that fits feature groups again.

    Attributes:
        features: folds of the cross-fitting, and the cut of as-of groups.
    """

    features: FeatureSettings

    def reads(self) -> tuple[Product, ...]:
        """Inputs of features, features and models."""
        inputs = Featurize(groups_of(self.systems), self.systems[0].task, self.features).reads()
        return tuple(dict.fromkeys((*inputs, *super().reads())))

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT
