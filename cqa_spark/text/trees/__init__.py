"""Syntax trees of texts, and the partial tree kernel, which compares them."""
