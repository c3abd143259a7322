"""a system that learned from nights + what it is worth → its card, with what each part of its features adds."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from cqa_spark.evaluation.statistics.nights import Nights, night_worth, site_differences
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, IS_MEASURED
from cqa_spark.lake.schemas.night import NIGHT_WORTH
from cqa_spark.lake.schemas.rankings import MEASURED_NIGHTS
from cqa_spark.rankers.candidates import feature_columns
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.train import card_of
from cqa_spark.systems.feature_frames import feature_frame, frame_tables
from cqa_spark.systems.model_card import CardFigure, SiteDifference
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system
from cqa_spark.tasks.preferred_answer.backtest import from_all_nights, measure_nights

NO_VOTES = "without votes"
_OF_VOTES = ("answer_standing_asof_v1__", "author_record_asof_v1__votes")
"""Prefixes of the features that votes for answers give."""


@dataclass(frozen=True)
class WriteCard(Step):
    """Write the card of a system: what it learned from, what it is worth, and what it is worth without parts.

    Attributes:
        system: recipe of a system that scores out of fold what it learned from.
        simple: the simple orders: the first is the one that differences are from, and the last, which needs no votes,
            is the one that the system without votes is compared with, too.
    """

    system: System
    simple: Sequence[System]

    name = "card"

    def reads(self) -> tuple[Product, ...]:
        """Examples with their posts and features, the models, and what they are worth."""
        systems = (self.system, *self.simple)
        models = [Artifact(model_artifact(system.name)) for system in systems]
        return EXAMPLES, POSTS, NIGHT_WORTH, MEASURED_NIGHTS, *frame_tables(systems), *models

    def writes(self) -> tuple[Product, ...]:
        """The model, with its card."""
        return (Artifact(model_artifact(self.system.name)),)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Fit without each part, measure, and save the system again."""
        name = model_artifact(self.system.name)
        examples = task_examples(run, self.system.task).where(IN_TRAINING)
        by_votes, *_, longest = orders = [each.name for each in self.simple]
        figures = _figures(run.entries(NIGHT_WORTH), by_votes)
        compared = [trained_system(run, model_artifact(order)) for order in (by_votes, longest)]
        with persisted(feature_frame(run, [self.system, *self.simple], examples)) as (frame,):
            counts.rows_in = frame.count()
            others = [column for column in frame.columns if column not in feature_columns(frame)]
            variants = {
                part: self.system.build().fit_scores(frame.select(*others, *features))
                for part, features in variants_of(self.system).items()
            }
            scores = {name: model.score for name, model in variants.items()}
            scores |= {each.system.name: each.model.score for each in compared}
            measured = measure_nights(frame.where(IS_MEASURED), scores)
            parts = from_all_nights(
                measured,
                [*scores],
                counts.rows_in,
                partial(part_worth, variants=list(variants), by_votes=by_votes, longest=longest),
            )
        figures += [figure for reference, rows in parts for figure in _figures(rows, reference)]
        trained = trained_system(run, name)
        card = card_of(trained.system, examples, run.read(POSTS))
        by_site = from_all_nights(
            run.read(MEASURED_NIGHTS),
            [self.system.name, *orders],
            counts.rows_in,
            partial(differences_by_site, system=self.system.name, orders=orders),
        )
        worth = {"figures": tuple(figures), "by_site": tuple(SiteDifference(**row) for row in by_site)}
        described = replace(trained, card=card.model_copy(update=worth))
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


def part_worth(nights: Nights, variants: Iterable[str], by_votes: str, longest: str) -> list[tuple[str, list[Entry]]]:
    """The worth of variants of a system, against a simple order; of that without votes, against another one, too.

    Args:
        nights: measured nights, with the hits of the variants and of both simple orders.
        variants: names of the variants.
        by_votes: name of the simple order by votes.
        longest: name of the simple order without votes.

    Returns:
        The name of each simple order, with rows of ``NIGHT_WORTH``.
    """
    compared = ((by_votes, variants), (longest, [NO_VOTES]))
    return [
        (reference, [asdict(row) for row in night_worth(nights, names, reference, {})]) for reference, names in compared
    ]


def differences_by_site(nights: Nights, system: str, orders: Iterable[str]) -> list[Entry]:
    """The fields of ``SiteDifference``; sites with a single thread in a band, which have no error, make none.

    Args:
        nights: measured nights, with the hits of the system and of the orders.
        system: name of the system.
        orders: names of the simple orders.
    """
    return [
        {"site": site, "band": band, "order": order, "difference": found.value, "error": found.error,
         "threads": found.threads, "nights": number}
        for site, band, order, found, number in site_differences(nights, system, orders)
        if found.threads > 1
    ]  # fmt: skip


def _figures(worth: Iterable[Entry], reference: str) -> list[CardFigure]:
    """Rows of ``NIGHT_WORTH`` as figures; a single thread, whose value has no error, makes none."""
    return [CardFigure(**entry, reference=reference) for entry in worth if entry["threads"] > 1]
