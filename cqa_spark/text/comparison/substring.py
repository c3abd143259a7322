"""The longest common substring of two texts."""

from __future__ import annotations


def longest_common_substring(one: str, other: str) -> int:
    """Length of the longest common substring.

    For each position of the shorter text, searches the longer text for a substring longer than the best so far. Each
    search runs in C, which is many times faster than dynamic programming in Python.
    """
    shorter, longer = sorted((one, other), key=len)
    longest = start = 0
    while start + longest < len(shorter):
        if shorter[start : start + longest + 1] in longer:
            longest += 1
        else:
            start += 1
    return longest
