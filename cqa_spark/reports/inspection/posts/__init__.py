"""Threads, scores, months and tags of the posts."""
