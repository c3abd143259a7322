"""Measures of rankings, their intervals and tests, and file formats of judgments and rankings."""
