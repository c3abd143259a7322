"""Comparisons of two texts beyond set overlap: order of words, edits, and meaning of words."""
