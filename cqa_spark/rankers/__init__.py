"""Rankers: score and rank the candidates of queries by their features."""
