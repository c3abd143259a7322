"""The account of who answered."""
