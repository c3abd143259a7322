"""Dumps of Stack Exchange sites: eight files of one row per line."""
