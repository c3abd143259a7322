"""The longest run of characters that two texts have in common."""

from __future__ import annotations


def longest_common_substring(one: str, other: str) -> int:
    """Characters of the longest string that both texts hold.

    Looks, from each place of the shorter text on, whether the longer one holds a string that beats the longest so far.
    One look is one search in C: many times faster in Python than the table of dynamic programming.
    """
    shorter, longer = sorted((one, other), key=len)
    longest = start = 0
    while start + longest < len(shorter):
        if shorter[start : start + longest + 1] in longer:
            longest += 1
        else:
            start += 1
    return longest
