"""Random numbers that do not depend on the order of draws or the number of processes.

Values of a numbered entity, such as a user, depend only on the seed, a purpose and the number. Values of a block are
drawn from its own generator.
"""

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Streams: what the generator of a block is used for.
THREADS, WORDS, ABOUT_TEXTS = 1, 2, 3
HOUR = 3_600_000
DAY = 24 * HOUR


def generator(seed: int, number: int, stream: int) -> np.random.Generator:
    """Return a random generator of one block; the streams of a block are independent."""
    return np.random.default_rng(np.random.SeedSequence([seed, number, stream]))


def uniforms(seed: int, purpose: str, numbers: Ints) -> Floats:
    """Return one pseudorandom value in [0, 1) for each number.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators).
    """
    key = np.random.SeedSequence([seed, crc32(purpose.encode())]).generate_state(1, np.uint64)
    state = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + key
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normals(seed: int, purpose: str, numbers: Ints) -> Floats:
    """Return one pseudorandom standard normal value for each number (Box and Muller 1958)."""
    radius = np.sqrt(-2 * np.log1p(-uniforms(seed, f"{purpose}, radius", numbers)))
    return radius * np.cos(2 * np.pi * uniforms(seed, f"{purpose}, angle", numbers))


def zipf(count: int, exponent: float) -> Floats:
    """Return the probabilities of ranks 1 to `count`, proportional to rank to the power of minus `exponent`."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def within(counts: Ints, capacity: int) -> Ints:
    """Keep counts as long as their cumulative sum does not exceed the capacity, and set the others to 0."""
    return np.where(np.cumsum(counts) <= capacity, counts, 0)


def later(rng: np.random.Generator, times: Ints, end: int, median: Floats | float, spread: float) -> Ints:
    """Draw a later time for each time: log-normal delays, limited by the end.

    Args:
        rng: random generator of the block.
        times: milliseconds since 1970, all before `end`.
        end: latest possible time, in milliseconds since 1970.
        median: median of the delays, in milliseconds.
        spread: standard deviation of the logarithm of the delays.
    """
    delay = median * np.exp(spread * rng.standard_normal(len(times)))
    return times + 1 + np.minimum(delay, (end - times - 1) * rng.random(len(times))).astype(np.int64)


def sigmoid(values: Floats) -> Floats:
    """Map scores to probabilities."""
    return 1 / (1 + np.exp(-values))
