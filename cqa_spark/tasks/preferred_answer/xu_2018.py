"""The experiment of Xu et al. (2018): its systems, and the steps that tune them, measure them and show attention."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.bootstrap import Resampling
from cqa_spark.evaluation.statistics.summary import Summary, summarise, summarise_by_site
from cqa_spark.experiments.experiment import (
    FULL,
    EvaluationSplit,
    HeldOut,
    Variant,
    described,
    measure_variants,
    rank_variant,
)
from cqa_spark.experiments.tuning import GIVEN, planned_trials
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.examples import EXAMPLES, LEFT_OUT_GROUPS, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, SITE_METRICS, by_measure, of_systems
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.studies import ATTENTIONS, TRIALS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.rankers.candidates import WORD_COLUMNS, with_words
from cqa_spark.reports.sections.xu_2018.published import AS_OF, SNAPSHOT, is_baseline
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.runtime.mlflow import LoggedTrial
from cqa_spark.settings.sections import EvaluationSettings, ResamplingSettings
from cqa_spark.spark.frames import run_concurrently
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.recipes import usable_systems
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

BASELINES = (
    "random_answer",
    "first_answer",
    "tfidf_answer",
    "highest_reputation",
    "longest_answer",
    "highest_reputation_asof",
    "most_votes_asof",
)
"""The baselines of the paper's Table 4, an as-of version of the one that uses later events, and votes."""

_ONLY_AS_OF = ("votes", "embeddings", "decatt", "doc2vec")
"""Rankers without a snapshot variant: texts are the same in both."""

_WITH_TEXT = ("decatt", "decatt_metadata", "doc2vec", "doc2vec_metadata")
"""Rankers whose recipes are not named after metadata."""


def learned_system(ranker: str, variant: str) -> str:
    """The recipe of a ranker on features as of the cut (``AS_OF``) or as of the dump (``SNAPSHOT``)."""
    return f"{ranker}_{variant}" if ranker in _WITH_TEXT else f"metadata_{ranker}_{variant}"


def learned_systems(rankers: Iterable[str]) -> tuple[str, ...]:
    """The recipes of the rankers, in all existing variants."""
    recipes = []
    for ranker in rankers:
        recipes.append(learned_system(ranker, AS_OF))
        if ranker not in _ONLY_AS_OF:
            recipes.append(learned_system(ranker, SNAPSHOT))
    return tuple(recipes)


ON_VALIDATION = HeldOut("split = 'dev'")
"""Parameters are trained on the training split and compared on the dev split."""


@dataclass(frozen=True)
class Tune(Step):
    """Try randomly drawn parameters for every trainable ranker; the test split is not used.

    Each trial is trained on the training split and ranks the dev split. The best one by the main measure is selected,
    even by a small margin; the test split measures its quality. ``Train`` uses the selected parameters.

    Attributes:
        systems: recipes; baselines keep their parameters.
        budget: drawn settings to try for each, in addition to the recipe's own.
        settings: resamples, confidence, and the seed, which is also that of the draws.
    """

    systems: Sequence[System]
    budget: int
    settings: ResamplingSettings

    name = "tune"

    def reads(self) -> tuple[Product, ...]:
        """Examples and features."""
        return EXAMPLES, *frame_tables(self.systems)

    def reads_if_present(self) -> tuple[Product, ...]:
        """The omitted groups."""
        return (LEFT_OUT_GROUPS,)

    def writes(self) -> tuple[Product, ...]:
        """The trials."""
        return (TRIALS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Evaluate all trials of all systems.

        Raises:
            InputError: the dev split is empty.
        """
        searched = [system for system in usable_systems(run, self.systems) if not is_baseline(system.name)]
        evaluation = EvaluationSettings(**self.settings.model_dump(), measures=PreferredAnswer.measures[:1])
        examples = task_examples(run, PreferredAnswer.name).where("split <> 'test'")
        if ON_VALIDATION.measured(examples).isEmpty():
            raise InputError(
                "the dev split is empty, so parameters cannot be tuned on it",
                "take more questions, or give --budget 0",
            )
        counts.rows_in = len(searched)
        with feature_frames(run, searched, examples) as frame_of:
            entries = []
            for system in searched:
                entries += _trials(system, self.budget, frame_of(system), evaluation)
        counts.rows_out = run.write_entries(TRIALS, entries)


def _trials(system: System, budget: int, frame: DataFrame, evaluation: EvaluationSettings) -> list[Entry]:
    """The trials of a system, of which the best one is chosen."""
    trials = {
        FULL if trial.name == GIVEN else trial.name: trial
        for trial in planned_trials(system, budget=budget, seed=evaluation.seed)
    }
    parts = ON_VALIDATION.parts(frame)
    ranked = [
        rank_variant(system.model_copy(update={"ranker": trial.ranker}), Variant(name, parts))
        for name, trial in trials.items()
    ]
    measured = measure_variants(ranked, ON_VALIDATION.measured(frame), evaluation)
    # Rounded, so that rounding errors do not break ties; the first of tied trials is the recipe's own.
    best = min(measured, key=lambda entry: (-round(entry["value"], 9), entry["system"] != FULL, entry["system"]))
    variants = {
        name: {
            "trial": trial.name,
            "parameters": json.dumps(dict(trial.values), sort_keys=True),
            "chosen": name == best["system"],
        }
        for name, trial in trials.items()
    }
    return described(system.name, measured, variants)


def logged_trials(run: Run, system: str) -> list[LoggedTrial]:
    """The trials of a system as MLflow shows them, in the order of their names."""
    entries = [entry for entry in run.entries(TRIALS) if entry["system"] == system]
    return [
        LoggedTrial(
            entry["trial"],
            json.loads(entry["parameters"]),
            {name: entry[name] for name in ("value", "low", "high")},
        )
        for entry in sorted(entries, key=lambda entry: entry["trial"])
    ]


@dataclass(frozen=True)
class Measure(Step):
    """Evaluate systems for Table 4: over all sites and on each, against every baseline, and snapshot against as-of.

    Attributes:
        split: the evaluation examples.
        settings: resamples, confidence and seed.
        rankers: the trained rankers, each in two variants.
        at_random: systems whose measures are expectations over all orders.
    """

    split: EvaluationSplit
    settings: ResamplingSettings
    rankers: Sequence[str]
    at_random: Collection[str] = ()

    name = "evaluate"

    def reads(self) -> tuple[Product, ...]:
        """Rankings and the labels of examples."""
        return RANKINGS, EXAMPLES

    def writes(self) -> tuple[Product, ...]:
        """Measures of queries, of systems by site and over all, and comparisons."""
        return QUERY_METRICS, SITE_METRICS, METRICS, COMPARISONS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write all four; all systems are tested against the baseline that is best over all sites."""
        examples = self.split.measured(task_examples(run, PreferredAnswer.name)).select(*EXAMPLES.schema.names)
        measures = [parse_measure(name) for name in PreferredAnswer.measures]
        measured = query_metrics(run.read(RANKINGS), examples, measures, at_random=self.at_random)
        counts.rows_in = run.write(QUERY_METRICS, measured)
        queries = run.read(QUERY_METRICS)
        best = best_baseline(queries)
        drawn = Resampling(self.settings.resamples, self.settings.seed, self.settings.confidence)
        by_site = summarise_by_site(queries, best, drawn)
        counts.rows_out = run.write_entries(SITE_METRICS, by_site)
        of_all = [entry for entry in by_site if entry["site"] == EVERY]
        run.write_entries(METRICS, Summary(of_all, []).metrics)
        ranked = {entry["system"] for entry in of_all}
        tested = run_concurrently(
            lambda contrast: summarise(of_systems(queries, contrast[1]), contrast[0], *drawn),
            contrasts(ranked, best, self.rankers),
        )
        run.write_entries(COMPARISONS, [entry for summary in tested for entry in summary.comparisons])


def best_baseline(queries: DataFrame) -> str:
    """The baseline with the highest first measure on the evaluation examples; ties are broken by name."""
    of_baselines = by_measure(of_systems(queries, BASELINES)).where(F.col("measure") == PreferredAnswer.measures[0])
    means = of_baselines.groupBy("system").agg(F.avg("value").alias("mean"))
    first = means.orderBy(F.round("mean", 9).desc(), "system").first()
    assert first is not None, "random_answer needs no features and is always ranked"
    return str(first["system"])


def contrasts(ranked: set[str], best: str, rankers: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The paired tests: a reference system, and the systems tested against it, including itself.

    Args:
        ranked: the systems with rankings.
        best: the best baseline; all systems are tested against it.
        rankers: the trained rankers.
    """
    learned = sorted(ranked.difference(BASELINES))
    yield best, sorted(ranked)
    for baseline in BASELINES:
        if baseline in ranked and baseline != best:
            yield baseline, [baseline, *learned]
    for ranker in rankers:
        pair = [learned_system(ranker, AS_OF), learned_system(ranker, SNAPSHOT)]
        if ranked.issuperset(pair):
            yield pair[0], pair


_FEWEST, _MOST = 8, 25
"""Minimum and maximum number of content words of each text of the pair, for a readable figure."""


@dataclass(frozen=True)
class Attend(Step):
    """Write the attention weights of a pair outside the training data, as in the paper's Figure 1.

    Attributes:
        systems: recipes; only those whose networks align words have attention weights.
    """

    systems: Sequence[System]

    name = "attention"

    def reads(self) -> tuple[Product, ...]:
        """Examples, texts, models."""
        return EXAMPLES, DOCUMENTS, TEXTS, *[Artifact(model_artifact(system.name)) for system in self.systems]

    def writes(self) -> tuple[Product, ...]:
        """A row for each system."""
        return (ATTENTIONS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Select a pair of short texts, the same for all systems; writes no rows if there is none."""
        from cqa_spark.rankers.neural.model import AlignmentModel  # slow import of SciPy

        answers = task_examples(run, PreferredAnswer.name).where(OUTSIDE_TRAINING).where("relevant")
        sizes = [F.size(name) for name in WORD_COLUMNS]
        words = with_words(answers, run.read(DOCUMENTS), run.read(TEXTS))
        short = words.where(F.least(*sizes) >= _FEWEST).where(F.greatest(*sizes) <= _MOST)
        pair = short.orderBy((sizes[0] + sizes[1]).desc(), "site", "query_id").first()
        if pair is None:
            return
        key = {name: pair[name] for name in ("site", "query_id", "candidate_id")}
        entries: list[Entry] = []
        for system in self.systems:
            model = trained_system(run, model_artifact(system.name)).model
            if isinstance(model, AlignmentModel):
                attention = model.attention(*(pair[name] for name in WORD_COLUMNS))
                texts = {"query_words": list(attention.query), "candidate_words": list(attention.candidate)}
                weights = attention.weights.ravel().tolist()
                entries.append({"system": system.name, **key, **texts, "weights": weights})
        counts.rows_in, counts.rows_out = 1, run.write_entries(ATTENTIONS, entries)
