"""Tasks: the kinds of candidates and queries."""
