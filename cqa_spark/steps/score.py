"""models + features → rankings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import tables_of
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES, IS_REPLAYED, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.night import SERVED_ORDERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.rankers.candidates import Candidates, feature_columns, require_features
from cqa_spark.rankers.rankings import SideOutput, rank
from cqa_spark.rankers.scoring import candidate_batches, whole_queries, with_values
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.steps.changed_sites import Sites, except_queries, of_sites, ranked_before, site_update
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frame, frame_tables
from cqa_spark.systems.recipes import groups_of, rank_by_words
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact, trained_system
from cqa_spark.task_contract.contract import task as task_named


@dataclass(frozen=True)
class Score(Step):
    """Rank the candidates of queries with every trained system of the run.

    Attributes:
        systems: recipes of one task.
        task: their task.
        last: the published run, whose rankings of unchanged sites are kept; None to rank all.
        ranked_once: also keep the rankings of queries whose candidates are the published ones.
        served: name of the system whose rankings a night serves, unless ``SERVED_ORDERS`` names another; None outside
            nights.
        accepted_first: whether the accepted answer comes first, before the order of the system.
    """

    systems: Sequence[System]
    task: str
    last: Snapshot | None = None
    ranked_once: bool = False
    served: str | None = None
    accepted_first: bool = False

    name = "score"

    def reads(self) -> tuple[Product, ...]:
        """Examples, features and models."""
        return read_to_rank(self.systems)

    def reads_if_present(self) -> tuple[Product, ...]:
        """The orders that a night has chosen."""
        return (SERVED_ORDERS,)

    def writes(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Score and rank.

        Raises:
            InputError: there is nothing to rank.
        """
        trained = load_trained(run, [system.name for system in self.systems])
        recipes, last = [each.system for each in trained.values()], self.last
        inputs = (EXAMPLES, *tables_of(groups_of(recipes)), *([DOCUMENTS] if rank_by_words(recipes) else []))
        versions = ["accepted first"] if self.accepted_first else []
        update = site_update(run, last, RANKINGS, inputs, settings={}, models=[*trained], versions=versions)
        if not update.keep():
            with ExitStack() as held:
                before = update.last if self.ranked_once else None
                ranked = held.enter_context(ranked_before(run, before, self.task, update.sites))
                examples = except_queries(of_sites(task_examples(run, self.task), update.sites), ranked)
                examples = examples.where(OUTSIDE_TRAINING)
                served = None if self.served is None else served_system(self.served, run.entries_or_none(SERVED_ORDERS))
                where = f"NOT {IS_REPLAYED}" if task_named(self.task).replays_nights else None
                rankings = rank_by(
                    trained,
                    run,
                    examples,
                    sites=update.sites,
                    where=where,
                    served=served,
                    accepted_first=self.accepted_first,
                )
                update.write(rankings, ranked=ranked)
        counts.rows_out = run.rows(RANKINGS)
        counts.rows_in = counts.rows_out // len(trained)
        # A young site, on which no question has two answers, publishes a night without rankings.
        may_be_empty = self.served is not None and task_named(self.task).replays_nights
        if counts.rows_out == 0 and not may_be_empty:
            raise InputError(
                f"the input has no candidates to rank for {self.task}",
                "give a file with queries of the task; cqa runs show lists the input files",
            )


def read_to_rank(systems: Sequence[System]) -> tuple[Product, ...]:
    """The inputs of ranking with trained systems: examples, features and models."""
    models = [Artifact(model_artifact(system.name)) for system in systems]
    return EXAMPLES, *frame_tables(systems), *models


def load_trained(run: Run, systems: Sequence[str]) -> dict[str, TrainedSystem]:
    """The run's trained systems by name; training may have omitted a system.

    Raises:
        InputError: the run has trained none of them.
    """
    names = [name for name in systems if run.artifact(model_artifact(name))]
    if not names:
        raise InputError(
            f"run {run.run_id} has not trained {', '.join(systems)}",
            f"train first: cqa train --run-id {run.run_id} --systems {' '.join(systems)}",
        )
    return {name: trained_system(run, model_artifact(name)) for name in names}


def served_system(usual: str, orders: Iterable[Entry]) -> Column:
    """The name of the system whose order of an example's query is served.

    Args:
        usual: the name where nothing else was chosen.
        orders: entries of ``SERVED_ORDERS``.
    """
    served = F.lit(usual)
    for entry in orders:
        if entry["order"] != usual:
            in_band = (F.col("site") == entry["site"]) & (F.col("age_days") >= entry["from_days"])
            if entry["below_days"] is not None:
                in_band &= F.col("age_days") < entry["below_days"]
            served = F.when(in_band, entry["order"]).otherwise(served)
    return served


def rank_by(
    systems: Mapping[str, TrainedSystem],
    run: Run,
    examples: DataFrame,
    *,
    sites: Sites = None,
    where: str | None = None,
    table: Table = RANKINGS,
    served: Column | None = None,
    accepted_first: bool = False,
    side_output: SideOutput | None = None,
) -> DataFrame:
    """The rankings of several systems, as rows of a table.

    Args:
        systems: trained systems by name, at least one.
        run: a run with the values of their feature groups.
        examples: rows of the schema ``EXAMPLES``.
        sites: the sites of the examples; None for all.
        where: as for ``feature_frame``.
        table: ``RANKINGS``, or ``NIGHT_RANKINGS``.
        served: the name of the system whose order is served; None outside nights.
        accepted_first: as for ``rank``.
        side_output: a second table to compute from the scores.

    Raises:
        ContractError: a model was trained on other features than its groups have.
    """
    for trained in systems.values():
        types = dict.fromkeys(trained.system.features(), "double")
        require_features(types, trained.model.description.features, trained.model.description.ranker)
    recipes = [trained.system for trained in systems.values()]
    decisions = {name: trained.model.decide for name, trained in systems.items()}
    frame = feature_frame(run, recipes, examples, sites=sites, where=where)
    return rank(
        frame,
        decisions,
        run.run_id,
        table=table,
        served=served,
        accepted_first=accepted_first,
        side_output=side_output,
    )


def map_queries(frame: DataFrame, function: Callable[[Candidates], pa.Table], schema: T.StructType | str) -> DataFrame:
    """Apply a function to the candidates of whole queries.

    Args:
        frame: candidates with features, which become the values of ``Candidates`` in the frame's order.
        function: makes rows of the candidates of some queries.
        schema: of the rows.
    """
    features = feature_columns(frame)

    def apply(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for candidates in candidate_batches(batches, features, by_query=True):
            yield from function(candidates).to_batches()

    return whole_queries(with_values(frame, features).drop(*features)).mapInArrow(apply, schema)
