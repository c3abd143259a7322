"""Semantic textual similarity: grade how similar two sentences are."""
