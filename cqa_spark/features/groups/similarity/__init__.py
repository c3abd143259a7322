"""What query and candidate have in common."""
