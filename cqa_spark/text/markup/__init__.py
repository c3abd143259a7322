"""Splits the HTML of posts into prose, code, quotes, links and images."""
