"""Checks before publishing: each compares the run's tables with the published ones, and returns a verdict."""
