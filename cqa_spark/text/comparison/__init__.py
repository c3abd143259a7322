"""Measures of two texts that need more than sets of what they hold: order of words, edits, meaning of words."""
