"""Formats of feature values."""

from cqa_spark.reports.reasons import FeatureContribution, feature_value


def test_timestamps_are_dates_in_utc_and_zero_is_unknown() -> None:
    created = FeatureContribution("created", 1_401_349_380.9, 0.5, is_time=True)
    assert feature_value(created) == "2014-05-29 07:43"
    assert feature_value(FeatureContribution("created", 0.0, 0.5, is_time=True)) == "unknown"
