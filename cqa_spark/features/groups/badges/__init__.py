"""Badges of who answered."""
