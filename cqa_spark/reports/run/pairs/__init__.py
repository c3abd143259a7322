"""Pairs of a question and an earlier one: those that were kept, cut off, and missed by retrieval."""
