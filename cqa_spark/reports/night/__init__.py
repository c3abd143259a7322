"""What a night found: what changed in the dump, and whether its rankings are fit to be seen."""
