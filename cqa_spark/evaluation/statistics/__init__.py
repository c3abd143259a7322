"""Intervals, paired tests and means of measures: one resampling, one clustered mean, one adjustment."""
