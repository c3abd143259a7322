"""Transfer between sites: systems trained on the other sites, on all sites, and on the evaluated site alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.bootstrap import Resampling
from cqa_spark.evaluation.statistics.summary import summarise_by_site
from cqa_spark.experiments.experiment import FULL, EvaluationSplit, Part, Variant, rank_variant
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.studies import TRANSFERS
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import ResamplingSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.train import trained_recipes
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

OWN, OTHERS = "own", "others"


@dataclass(frozen=True)
class TransferSites(Step):
    """Evaluate systems on sites that they were not trained on; writes nothing if there is only one site.

    Attributes:
        systems: recipes that the run has ranked with.
        settings: resamples, confidence and seed.
        split: the evaluation examples.
    """

    systems: Sequence[System]
    settings: ResamplingSettings
    split: EvaluationSplit

    name = "transfer"

    def reads(self) -> tuple[Product, ...]:
        """Examples, features, rankings."""
        models = [Artifact(model_artifact(system.name)) for system in self.systems]
        return EXAMPLES, RANKINGS, *frame_tables(self.systems), *models

    def writes(self) -> tuple[Product, ...]:
        """A row per site and training set."""
        return (TRANSFERS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Evaluate one system after the other."""
        measured = self.split.measured(task_examples(run, PreferredAnswer.name))
        counts.rows_in = measured.select("site").distinct().count()
        if counts.rows_in < 2:
            return
        systems = trained_recipes(run, self.systems)
        entries: list[Entry] = []
        for system in systems:
            entries += transfer(run, system, self.settings, self.split)
        counts.rows_out = run.write_entries(TRANSFERS, entries)


def transfer(run: Run, system: System, settings: ResamplingSettings, on: EvaluationSplit) -> list[Entry]:
    """Train a system for each site on the other sites, and on the site alone; compare with the one trained on all.

    Feature groups fitted without labels (slots of tags and badges) are fitted on all sites.

    Args:
        run: a run that ranked with the system trained on all sites.
        system: the system.
        settings: resamples, confidence and seed.
        on: the evaluation examples.

    Returns:
        Entries of ``TRANSFERS``; tests are against the system trained on all sites.
    """
    examples = task_examples(run, system.task)
    with (
        persisted(on.measured(examples).select(*EXAMPLES.schema.names)) as (measured,),
        feature_frames(run, [system], examples) as frame_of,
    ):
        frame = frame_of(system)
        of_all = run.read(RANKINGS).where(F.col("system") == system.name).withColumn("system", F.lit(FULL))
        ranked = [of_all]
        for row in measured.select("site").distinct().orderBy("site").collect():
            here = F.col("site") == row["site"]
            others = Part(on.learned_from(frame).where(~here), on.measured(frame).where(here))
            ranked.append(rank_variant(system, Variant(OTHERS, (others,))))
            ranked.append(rank_variant(system, Variant(OWN, on.parts(frame.where(here)))))
        rankings = RANKINGS.conform(reduce(DataFrame.unionByName, ranked))
        drawn = Resampling(settings.resamples, settings.seed, settings.confidence)
        with persisted(query_metrics(rankings, measured, [parse_measure(PreferredAnswer.measures[0])])) as (queries,):
            summary = summarise_by_site(queries, FULL, drawn)
    declared = {column.name for column in TRANSFERS.columns}
    entries = []
    for measured_set in summary:
        entry = {name: value for name, value in measured_set.items() if name in declared}
        # The systems of the summary are the sets of sites that the one system was trained on.
        entries.append({**entry, "trained_on": measured_set["system"], "system": system.name})
    return entries
