"""a system that learned from nights + its backtest → its card, with what each part of its features adds."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from cqa_spark.evaluation.statistics.nights import Nights, night_metrics, site_differences
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING, IS_MEASURED
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, worth_of
from cqa_spark.rankers.candidates import feature_columns
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.train import add_model, card_of
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
        return EXAMPLES, POSTS, QUERY_METRICS, METRICS, COMPARISONS, *frame_tables(systems), *models

    def writes(self) -> tuple[Product, ...]:
        """The model, with its card."""
        return (Artifact(model_artifact(self.system.name)),)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Fit without each part, measure, and save the system again."""
        system, name = self.system.name, model_artifact(self.system.name)
        examples = task_examples(run, self.system.task).where(IN_TRAINING)
        by_votes, *_, longest = orders = [recipe.name for recipe in self.simple]
        figures = _figures(run.entries(METRICS), run.entries(COMPARISONS), by_votes)
        with persisted(feature_frame(run, [self.system, *self.simple], examples)) as (frame,):
            counts.rows_in = frame.count()
            others = [column for column in frame.columns if column not in feature_columns(frame)]
            variants = {
                part: self.system.build().fit_scores(frame.select(*others, *features))
                for part, features in variants_of(self.system).items()
            }
            parts_left_out = [*variants]
            scores = {part: model.score for part, model in variants.items()}
            for order in (by_votes, longest):
                scores[order] = trained_system(run, model_artifact(order)).model.score
            parts = from_all_nights(
                measure_nights(frame.where(IS_MEASURED), scores),
                [*scores],
                counts.rows_in,
                lambda nights: part_metrics(nights, self.system.task, parts_left_out, by_votes, longest),
            )
        for reference, entries in parts:
            figures += _figures(entries, entries, reference)
        by_site = from_all_nights(
            run.read(QUERY_METRICS),
            [system, *orders],
            counts.rows_in,
            lambda nights: differences_by_site(nights, system, orders),
        )
        trained = trained_system(run, name)
        card = card_of(trained.system, examples, run.read(POSTS)).model_copy(
            update={"figures": tuple(figures), "by_site": tuple(SiteDifference(**row) for row in by_site)}
        )
        add_model(run, name, replace(trained, card=card), copy="described")
        counts.rows_out = len(figures)


def variants_of(system: System) -> dict[str, tuple[str, ...]]:
    """The features of variants of a system, by name: without each of its groups, and without votes."""
    without = {f"without {group}": (f"{group}__",) for group in system.feature_groups} | {NO_VOTES: _OF_VOTES}
    return {
        name: tuple(feature for feature in system.features() if not feature.startswith(prefixes))
        for name, prefixes in without.items()
    }


def part_metrics(
    nights: Nights, task: str, variants: Iterable[str], by_votes: str, longest: str
) -> list[tuple[str, list[Entry]]]:
    """The measures of variants of a system, against a simple order; of that without votes, against another one, too.

    Args:
        nights: measured nights, with the hits of the variants and of both simple orders.
        task: the task of the nights.
        variants: names of the variants.
        by_votes: name of the simple order by votes.
        longest: name of the simple order without votes.

    Returns:
        The name of each simple order, with the result of ``night_metrics``.
    """
    compared = ((by_votes, variants), (longest, [NO_VOTES]))
    return [(reference, night_metrics(nights, task, names, reference, {})) for reference, names in compared]


def differences_by_site(nights: Nights, system: str, orders: Iterable[str]) -> list[Entry]:
    """The fields of ``SiteDifference``; sites with a single thread in a band, which have no error, make none.

    Args:
        nights: measured nights, with the hits of the system and of the orders.
        system: name of the system.
        orders: names of the simple orders.
    """
    return [
        {"site": site, "band": band, "order": order, "difference": gain.value, "error": gain.error,
         "threads": gain.threads, "nights": number}
        for site, band, order, gain, number in site_differences(nights, system, orders)
        if gain.threads > 1
    ]  # fmt: skip


def _figures(metrics: Sequence[Entry], comparisons: Iterable[Entry], reference: str) -> list[CardFigure]:
    """Figures from metrics and comparisons; a single thread, whose value has no error, makes none."""
    worth = worth_of(metrics, comparisons, reference)
    return [CardFigure(**asdict(row), reference=reference) for row in worth if row.threads > 1]
