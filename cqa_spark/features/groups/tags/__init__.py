"""The question's tags."""
