"""Distributed answer ranking for question-and-answer communities."""

__version__ = "0.1.0"
