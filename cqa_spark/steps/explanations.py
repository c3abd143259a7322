"""Feature contributions: the features that raised or lowered the score of each candidate of a few queries."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from cqa_spark.features.assembly import times
from cqa_spark.features.registry import meanings
from cqa_spark.lake.run import Run
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.scoring import collect_candidates
from cqa_spark.reports.contributions import FeatureContribution
from cqa_spark.reports.post_texts import any_of
from cqa_spark.reports.reported_run import Pair, Query
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frame
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact, trained_system

SHOWN = 6
"""Number of features shown per candidate, those with the largest contributions."""

CANDIDATE = ("site", "query_id", "candidate_id")


def explained_pairs(run: Run, system: str, queries: Sequence[Query]) -> Mapping[Pair, tuple[FeatureContribution, ...]]:
    """The feature contributions to the scores of all candidates of a few queries; empty if the ranker explains none."""
    if not run.artifact(model_artifact(system)) or not queries:
        return {}
    trained = trained_system(run, model_artifact(system))
    if not trained.model.explains:
        return {}
    examples = task_examples(run, trained.system.task)
    frame = feature_frame(run, [trained.system], examples, where=any_of("query_id", queries))
    candidates = collect_candidates(frame, trained.model.description.features)
    pairs = zip(*(candidates.examples.column(name).to_pylist() for name in CANDIDATE), strict=True)
    about = meanings(trained.model.description.features, trained.groups)
    return dict(zip(pairs, strongest_contributions(trained.model, trained.system, candidates, about), strict=True))


def strongest_contributions(
    model: RankerModel, system: System, candidates: Candidates, about: Mapping[str, str]
) -> list[tuple[FeatureContribution, ...]]:
    """The features with the largest contributions to each candidate's score, the largest first.

    Args:
        model: fitted model of the system's ranker, which explains its scores.
        system: the system.
        candidates: with the model's features.
        about: meaning by feature column.
    """
    features, moments = model.description.features, times(system.feature_groups)
    rows = zip(candidates.of(features), model.contributions(candidates), strict=True)
    return [_strongest(features, moments, about, *both) for both in rows]


def _strongest(
    features: Sequence[str],
    moments: Collection[str],
    about: Mapping[str, str],
    values: np.ndarray,
    contributions: np.ndarray,
) -> tuple[FeatureContribution, ...]:
    order = sorted(range(len(features)), key=lambda place: (-abs(contributions[place]), features[place]))
    return tuple(
        FeatureContribution(
            features[place],
            float(values[place]),
            float(contributions[place]),
            features[place] in moments,
            about.get(features[place], ""),
        )
        for place in order[:SHOWN]
        if contributions[place]
    )
