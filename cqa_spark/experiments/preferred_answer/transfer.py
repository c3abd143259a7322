"""From site to site: a system that knows other sites only, beside one that knows all and one that knows this alone."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.parts import ResamplingSettings
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.summary import Resampling, summarise_by_site
from cqa_spark.experiments.evaluation_split import EvaluationSplit, Part
from cqa_spark.experiments.preferred_answer.lineup import MEASURES
from cqa_spark.experiments.variants import FULL, Variant, rank_variant
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import TRANSFERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System

OWN, OTHERS = "own", "others"


def transfer(run: Run, system: System, settings: ResamplingSettings, on: EvaluationSplit) -> DataFrame:
    """Train a system for each site on the others, and on the site alone; measure beside the one trained on all.

    What feature groups learn without labels (which tags and badges have numbers) they learned from all sites.

    Args:
        run: a run that ranked with the system trained on all sites.
        system: the system.
        settings: how sure the figures are.
        on: what is measured on.

    Returns:
        Rows of ``TRANSFERS``; tests are against the system trained on all sites.
    """
    examples = task_examples(run, system.task)
    measured = on.measured(examples).select(*EXAMPLES.schema.names).persist()
    with feature_frames(run, [system], examples) as frame_of:
        frame = frame_of(system)
        of_all = run.read(RANKINGS).where(F.col("system") == system.name).withColumn("system", F.lit(FULL))
        ranked = [of_all]
        for row in measured.select("site").distinct().orderBy("site").collect():
            here = F.col("site") == row["site"]
            others = Part(on.learned_from(frame).where(~here), on.measured(frame).where(here))
            ranked.append(rank_variant(system, Variant(OTHERS, (others,))))
            ranked.append(rank_variant(system, Variant(OWN, on.parts(frame.where(here)))))
        rankings = RANKINGS.conform(reduce(DataFrame.unionByName, ranked))
        queries = query_metrics(rankings, measured, [parse_measure(MEASURES[0])]).persist()
        drawn = Resampling(settings.resamples, settings.seed, settings.confidence)
        rows = summarise_by_site(queries, FULL, drawn).withColumnRenamed("system", "trained_on")
        found = TRANSFERS.conform(rows.drop("baseline").withColumn("system", F.lit(system.name))).persist()
        found.count()
    measured.unpersist()
    return found
