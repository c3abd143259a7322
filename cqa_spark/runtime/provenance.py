"""The version of the code that made a run."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

from cqa_spark import __version__
from cqa_spark.plugins import plugins_of_others

_OUTSIDE = frozenset({"conf", "jobs"})
"""Folders that lie beside the package in a checkout, and in it in a wheel."""

_CHARACTERS = 12
"""Characters of the hash that identify a version."""


@cache
def package_version() -> str:
    """The package's version and a hash of its sources, such as ``0.1.0+3f2a9c1d7b40``.

    A wheel, a checkout and the zip file of ``spark-submit.sh`` with the same sources have the same version; an edited
    checkout has another.
    """
    return f"{__version__}+{sources_hash(files('cqa_spark'))[:_CHARACTERS]}"


def code_version() -> str:
    """The version of the package, and a hash of the sources of plug-ins of others, if there are any.

    Runs with one code version computed their values in the same way, and a run reuses values only of such runs.
    Recipes and settings are no part of it: the configuration hash of a run covers them.
    """
    packages = sorted({entry.target.partition(":")[0].partition(".")[0] for entry in plugins_of_others()})
    return f"{package_version()}+{_plugin_hash(tuple(packages))}" if packages else package_version()


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


def _plugin_hash(packages: tuple[str, ...]) -> str:
    total = sha256("".join(f"{name}\0{_source_hash(name)}\0" for name in packages).encode())
    return total.hexdigest()[:_CHARACTERS]


def _source_hash(name: str) -> str:
    """The hash of a top-level package or module; empty if there is none, or if it cannot be imported."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return ""
    if not spec.submodule_search_locations:
        return sha256(Path(spec.origin).read_bytes()).hexdigest()
    try:
        return sources_hash(files(name))
    except Exception:  # whatever the package raises; who uses its plug-ins is told
        return ""
