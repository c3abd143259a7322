"""The differences between the best system and the baseline, query by query."""
