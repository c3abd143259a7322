"""The version of the code that made a run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from cqa_spark import __version__

_OUTSIDE = frozenset({"conf", "jobs"})
"""Folders that lie beside the package in a checkout, and in it in a wheel."""

_CHARACTERS = 12
"""Characters of the hash that identify a version."""


@cache
def code_version() -> str:
    """The package's version and a hash of its sources, such as ``0.1.0+3f2a9c1d7b40``.

    Runs with one code version computed their values in the same way, and a run reuses values only of such runs. A
    wheel, a checkout and the zip file of ``spark-submit.sh`` with the same sources have the same version; an edited
    checkout has another. Recipes and settings are no part of it: the configuration hash of a run covers them.
    """
    return f"{__version__}+{sources_hash(files('cqa_spark'))[:_CHARACTERS]}"


def sources_hash(package: Traversable) -> str:
    """SHA-256, hexadecimal, of the paths and bytes of all Python modules of a package, in the order of their paths.

    Args:
        package: its folder, or its place in a zip file.
    """
    total = sha256()
    for path, module in sorted(_modules(package, ""), key=lambda pair: pair[0]):
        total.update(f"{path}\0".encode() + sha256(module.read_bytes()).digest())
    return total.hexdigest()


def _modules(folder: Traversable, above: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        path = f"{above}{entry.name}"
        if entry.name.endswith(".py"):
            yield path, entry
        elif entry.is_dir() and path not in _OUTSIDE:
            yield from _modules(entry, f"{path}/")
