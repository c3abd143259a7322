"""Splits a location into its folder and the name within it."""

from __future__ import annotations


def split(location: str) -> tuple[str, str]:
    """A location's folder and the name within it; a whole bucket has no name."""
    scheme, separator, path = location.rstrip("/").rpartition("://")
    folder, slash, name = path.rpartition("/")
    if separator and not slash:
        return location, ""
    return f"{scheme}{separator}{folder}" or ("/" if slash else "."), name
