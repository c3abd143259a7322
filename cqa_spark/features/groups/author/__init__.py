"""Who wrote the candidate."""
