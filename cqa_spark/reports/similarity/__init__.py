"""Correlation of scores with graded similarities: by set, pair by pair, and beside published results."""
