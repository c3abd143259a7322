"""Other seeds: systems that sample rows, features or weights, retrained on the same examples."""

from dataclasses import dataclass

from cqa_spark.experiments.evaluation_split import EvaluationSplit
from cqa_spark.experiments.experiment import Experiment
from cqa_spark.experiments.variants import FULL, Variant, described, measure_variants, rank_variant
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import SEEDS
from cqa_spark.rankers.registry import RANKERS
from cqa_spark.rankers.search_space import members, with_values
from cqa_spark.rankers.spec import RankerSpec
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System

_APART = 1000
"""Distance between the seeds of two draws, so that members that differ only in their seed never share one."""


@dataclass(frozen=True)
class OtherSeeds(Experiment):
    """Train systems with several seeds, the recipe's own included; deterministic systems are skipped."""

    split: EvaluationSplit
    seeds: int

    name = "seeds"
    table = SEEDS

    def of_system(self, run: Run, system: System) -> list[Entry]:
        """A row for each seed; none for a deterministic system."""
        drawn = {number: with_other_seed(system.ranker, number) for number in range(self.seeds)}
        variants = {
            FULL if number == 0 else str(number): system.model_copy(update={"ranker": ranker})
            for number, ranker in drawn.items()
            if ranker is not None
        }
        if not variants:
            return []
        with feature_frames(run, [system], task_examples(run, system.task)) as frame_of:
            frame = frame_of(system)
            parts = self.split.parts(frame)
            ranked = [rank_variant(variant, Variant(name, parts)) for name, variant in variants.items()]
            measured = measure_variants(ranked, self.split.measured(frame), self.settings)
        return described(system.name, measured, {name: {"draw": draw} for draw, name in enumerate(variants)})


def with_other_seed(ranker: RankerSpec, number: int) -> RankerSpec | None:
    """The ranker with new seeds for itself and its members.

    Args:
        ranker: the ranker of a recipe.
        number: number of the draw; 0 for the recipe's own seeds.

    Returns:
        The ranker; None if it has no seeds.
    """
    given = seeds_of(ranker)
    if not given:
        return None
    seeds = {path: seed + number * _APART for path, seed in given.items()}
    return ranker.model_copy(update={"parameters": with_values(ranker.parameters, seeds)})


def seeds_of(ranker: RankerSpec) -> dict[str, int]:
    """The seeds of a ranker and its members, by path in the parameters."""
    seeds: dict[str, int] = {}
    field = RANKERS.load(ranker.name).parameters_type.model_fields.get("seed")
    if field is not None:
        seeds["seed"] = ranker.parameters.get("seed", field.default)
    for path, member in members(ranker.parameters):
        inner = seeds_of(RankerSpec.model_validate(member))
        seeds |= {f"{path}.parameters.{name}": seed for name, seed in inner.items()}
    return seeds
