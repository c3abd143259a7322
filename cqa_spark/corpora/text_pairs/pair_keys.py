"""Keys of pairs of texts: equal for pairs that repeat each other, or nearly do."""

import hashlib
import re

NEAR_WORDS = 10
"""Least number of words of a pair, both texts together, that can nearly repeat another."""

_WORD = re.compile(r"\w+")


def same_pair_key(one: str, other: str) -> str:
    """A key that is equal for pairs that differ only in case, punctuation, white space or order."""
    return "\n".join(sorted(map(_letters, (one, other))))


def near_pair_keys(one: str, other: str) -> tuple[int, ...]:
    """Hashes of the words of a pair, and of all of them but one, in any order.

    Two pairs share a hash if they have the same words, or if one word of one pair is replaced, added or removed.

    Args:
        one: first text.
        other: second text.

    Returns:
        The hashes, 64 bits each; none for pairs of fewer than ``NEAR_WORDS`` words, in which one word is a large part.
    """
    words = [_hash(word) for word in _WORD.findall(f"{one} {other}".casefold())]
    if len(words) < NEAR_WORDS:
        return ()
    # Sums, because those of all words but one cost a subtraction.
    total = sum(words)
    return tuple(dict.fromkeys(map(_signed, [total, *[total - word for word in words]])))


def _letters(text: str) -> str:
    """Letters and digits, case-folded; the text itself if it has none."""
    return "".join(filter(str.isalnum, text.casefold())) or text


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")


def _signed(number: int) -> int:
    """The last 64 bits of a whole number, as a signed one."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
