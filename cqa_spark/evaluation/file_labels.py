"""Short names of files for tables."""

from collections.abc import Sequence
from pathlib import Path


def distinct_labels(names: Sequence[str]) -> dict[str, str]:
    """The shortest end of each path that is not the end of another one.

    Args:
        names: paths of files, or names of rankings; they may repeat.
    """
    parts = {name: Path(name).parts for name in names}
    labels = {}
    for name, own in parts.items():
        others = [other for other in parts.values() if other != own]
        lengths = range(1, len(own) + 1)
        length = next((n for n in lengths if all(other[-n:] != own[-n:] for other in others)), len(own))
        labels[name] = str(Path(*own[-length:]))
    return labels
