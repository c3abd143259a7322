"""Suggestions for unknown names."""

import difflib
import re
from collections.abc import Iterable

SUGGESTIONS = 3
"""Maximum number of similar names."""

NEAREST = 5
"""Number of suggested names where a command lists all of them."""


def did_you_mean(wrong: str, names: Iterable[str], otherwise: str) -> str:
    """Suggest similar names.

    Names with dots, and paths, are compared by their last part first, and then as a whole.

    Args:
        wrong: the unknown name.
        names: the known names.
        otherwise: the remedy if none of them is similar.
    """
    similar = near_names(wrong, names)
    return f"did you mean {' or '.join(similar)}?" if similar else otherwise


def known_names(wrong: str, names: Iterable[str], kind: str, command: str | None = None) -> str:
    """Suggest similar names, and list all known ones or name the command that does.

    Args:
        wrong: the unknown name.
        names: the known names, in the order of the list.
        kind: the kind of names, in the plural.
        command: prints all of them; None for none.
    """
    names = list(names)
    if command is not None and len(names) > NEAREST:
        similar = near_names(wrong, names)
        nearest = [
            *similar,
            *sorted(set(names).difference(similar), key=lambda name: (-_similarity(wrong, name), name)),
        ]
        return f"did you mean {' or '.join(nearest[:NEAREST])}? {command} lists all {len(names)} {kind}"
    return " ".join(filter(None, [did_you_mean(wrong, names, ""), f"known {kind}: {', '.join(names) or 'none'}"]))


def near_names(wrong: str, names: Iterable[str]) -> list[str]:
    """The most similar names, most similar first."""
    names = sorted(names)
    last_parts = difflib.get_close_matches(_last_part(wrong), {_last_part(name) for name in names}, cutoff=0.75)
    similar = [name for name in names if _last_part(name) in last_parts]
    similar = similar or difflib.get_close_matches(wrong, names, cutoff=0.6)
    return sorted(similar, key=lambda name: -_similarity(wrong, name))[:SUGGESTIONS]


def _similarity(wrong: str, name: str) -> float:
    return difflib.SequenceMatcher(None, wrong, name).ratio()


def _last_part(name: str) -> str:
    return re.split("[./]", name.removesuffix(".yaml"))[-1].lstrip("-")
