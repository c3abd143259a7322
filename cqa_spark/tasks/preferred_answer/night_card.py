"""a system that learned from nights + what it is worth → its card, with what each part of its features adds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cqa_spark.evaluation.night_worth import night_worth
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, IS_MEASURED
from cqa_spark.lake.schemas.night import NIGHT_WORTH
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.scoring import collect_candidates
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.learning import card_of
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.model_card import CardFigure
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system
from cqa_spark.tasks.preferred_answer.simple_orders import nights_of

NO_VOTES = "without votes"
_OF_VOTES = ("answer_standing_asof_v1__", "author_record_asof_v1__votes")
"""Prefixes of the features that votes for answers give."""

_MOST = 1_000_000
"""Answers of nights that parts are measured on, in memory; of more, whole nights are sampled."""


@dataclass(frozen=True)
class WriteCard(Step):
    """Write the card of a system: what it learned from, what it is worth, and what it is worth without parts.

    Attributes:
        system: recipe of a system that scores out of fold what it learned from.
        by_votes: the simple order that differences are from.
        longest: the simple order without votes, which the system without votes is compared with, too.
    """

    system: System
    by_votes: System
    longest: System

    name = "card"

    def reads(self) -> tuple[Product, ...]:
        """Examples with their posts and features, the models, and what they are worth."""
        systems = (self.system, self.by_votes, self.longest)
        models = [Artifact(model_artifact(system.name)) for system in systems]
        return EXAMPLES, POSTS, NIGHT_WORTH, *frame_tables(systems), *models

    def writes(self) -> tuple[Product, ...]:
        """The model, with its card."""
        return (Artifact(model_artifact(self.system.name)),)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Fit without each part, measure, and save the system again."""
        name = model_artifact(self.system.name)
        examples = task_examples(run, self.system.task).where(IN_TRAINING)
        figures = _figures(run.entries(NIGHT_WORTH), self.by_votes.name)
        with feature_frames(run, [self.system, self.by_votes], examples) as frame_of:
            frame = frame_of(self.system)
            counts.rows_in = frame.count()
            others = [column for column in frame.columns if column not in feature_columns(frame)]
            variants = {
                part: self.system.build().fit_scores(frame.select(*others, *features))
                for part, features in variants_of(self.system).items()
            }
            given, votes = (
                collect_candidates(
                    sample_queries(each.where(IS_MEASURED), _MOST, counts.rows_in), feature_columns(each)
                )
                for each in (frame, frame_of(self.by_votes))
            )
        orders = {part: model.score(given) for part, model in variants.items()}
        simple = {
            each.name: trained_system(run, model_artifact(each.name)).model.score(votes)
            for each in (self.by_votes, self.longest)
        }
        figures += part_figures(votes, orders, simple)
        trained = trained_system(run, name)
        card = card_of(trained.system, examples, run.read(POSTS))
        described = replace(trained, card=card.model_copy(update={"figures": tuple(figures)}))
        path = run.artifact_path("models", "described", name)
        described.save(path, run.lake.storage)
        run.add_artifact(name, path, loaded=described)
        counts.rows_out = len(figures)


def variants_of(system: System) -> dict[str, tuple[str, ...]]:
    """The features of variants of a system, by name: without each of its groups, and without votes."""
    without = {f"without {group}": (f"{group}__",) for group in system.feature_groups} | {NO_VOTES: _OF_VOTES}
    return {
        name: tuple(feature for feature in system.features() if not feature.startswith(prefixes))
        for name, prefixes in without.items()
    }


def part_figures(
    candidates: Candidates, variants: Mapping[str, NDArray[np.float64]], simple: Mapping[str, NDArray[np.float64]]
) -> Sequence[CardFigure]:
    """The worth of variants of a system, against a simple order; of that without votes, against another one, too.

    Args:
        candidates: the answers of measured nights, as ``nights_of`` takes them.
        variants: their scores by name.
        simple: scores of two simple orders by name: with votes, and without.
    """
    nights, (by_votes, longest) = nights_of(candidates), simple
    found = []
    for reference, names in ((by_votes, list(variants)), (longest, [NO_VOTES])):
        orders = {reference: simple[reference]} | {name: variants[name] for name in names}
        worth = night_worth(nights, orders, reference, np.empty(0, dtype=np.int64))
        found += _figures([asdict(each) for each in worth if each.order != reference], reference)
    return found


def _figures(worth: Iterable[Entry], reference: str) -> list[CardFigure]:
    """Rows of ``NIGHT_WORTH`` as figures; a single thread, whose value has no error, makes none."""
    return [CardFigure(**entry, reference=reference) for entry in worth if entry["threads"] > 1]
