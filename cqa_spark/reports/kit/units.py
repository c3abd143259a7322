"""Formats of durations and sizes."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A duration in its two largest units: ``0.84 s``, ``12.3 s``, ``3 min 05 s``, ``2 h 04 min``."""
    if seconds < 59.95:
        return f"{seconds:.2f} s" if seconds < 0.995 else f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def size(number: int | None) -> str:
    """A number of bytes in decimal units."""
    if number is None:
        return "unknown"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number} B"
