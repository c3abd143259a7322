"""The commands that run a single step: ``cqa pair``, ``featurize`` and ``evaluate``."""

from __future__ import annotations

from cqa_spark import flows
from cqa_spark.config.settings import EvaluateSettings, FeaturizeSettings, PairSettings
from cqa_spark.runtime.workspace import given, run_flow


def pair(settings: PairSettings) -> None:
    """Build the examples of every task from the run's community tables."""
    run_flow(flows.pair(settings, given(settings)), settings, resume=True)


def featurize(settings: FeaturizeSettings) -> None:
    """Compute the named feature groups, and those that the named systems need."""
    run_flow(flows.featurize(settings, given(settings)), settings, resume=True)


def evaluate(settings: EvaluateSettings) -> None:
    """Evaluate the rankings of a run against its judgments."""
    run_flow(flows.evaluate(settings, given(settings)), settings, resume=True)
