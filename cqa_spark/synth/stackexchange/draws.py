"""Random numbers that do not depend on the order of draws or the number of processes.

Values of a numbered entity, such as a user, are a function of the seed, a purpose and the number. Values of a block are
drawn from the block's own generator.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Streams of numbered generators: what a block of that number is made of.
THREADS, WORDS, ABOUT_TEXTS = 1, 2, 3
HOUR = 3_600_000
DAY = 24 * HOUR


def generator(seed: int, number: int, stream: int) -> np.random.Generator:
    """Return the generator of one block; the streams of a block are independent."""
    return np.random.default_rng(np.random.SeedSequence([seed, number, stream]))


def uniforms(seed: int, purpose: str, numbers: Ints) -> Floats:
    """Draw one value in [0, 1) for each number, deterministically.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators).
    """
    key = np.random.SeedSequence([seed, crc32(purpose.encode())]).generate_state(1, np.uint64)
    state = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + key
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normals(seed: int, purpose: str, numbers: Ints) -> Floats:
    """Draw one standard normal value for each number, deterministically (Box and Muller 1958)."""
    radius = np.sqrt(-2 * np.log1p(-uniforms(seed, f"{purpose}, radius", numbers)))
    return radius * np.cos(2 * np.pi * uniforms(seed, f"{purpose}, angle", numbers))


def zipf(count: int, exponent: float) -> Floats:
    """Return the probabilities of ranks 1 to `count`, proportional to rank to the power of minus `exponent`."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def within(counts: Ints, capacity: int) -> Ints:
    """Keep counts while their cumulative sum is at most the capacity, and set the rest to 0."""
    return np.where(np.cumsum(counts) <= capacity, counts, 0)


def later(rng: np.random.Generator, times: Ints, end: int, median: Floats | float, spread: float) -> Ints:
    """Draw a later time for each time, mostly soon and never after the end.

    Args:
        rng: the block's generator.
        times: milliseconds since 1970, all before `end`.
        end: the last moment, in milliseconds since 1970.
        median: of the delays, in milliseconds.
        spread: standard deviation of the delays' logarithm.
    """
    delay = median * np.exp(spread * rng.standard_normal(len(times)))
    return times + 1 + np.minimum(delay, (end - times - 1) * rng.random(len(times))).astype(np.int64)


def sigmoid(values: Floats) -> Floats:
    """Map scores to probabilities."""
    return 1 / (1 + np.exp(-values))
