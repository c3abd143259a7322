"""Rankers: from the features of a query's candidates to scores, rankings and saved systems."""
