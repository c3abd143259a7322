"""Tasks: what is ranked for what."""
