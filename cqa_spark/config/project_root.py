"""The folder of the project's own files: ``conf/`` and ``jobs/``."""

import os
from importlib.resources import files
from pathlib import Path


def project_root() -> Path:
    """Return the folder that contains ``conf/``.

    This is the environment variable ``CQA_HOME``, else the installed package, because a wheel contains ``conf/``, else
    the checkout. ``spark-submit.sh`` sets ``CQA_HOME``, because a cluster imports the package from a zip file.
    """
    if named := os.environ.get("CQA_HOME"):
        return Path(named)
    package = _package()
    return package if (package / "conf").is_dir() else package.parent


def jars_folder() -> Path:
    """Return the folder of the jars: ``.jars/`` beside ``conf/``, or the user's cache for an installed package."""
    root = project_root()
    return cache_folder() / "jars" if root == _package() else root / ".jars"


def models_folder() -> Path:
    """Return the folder of embedding models other than the default one, beside that of the jars."""
    root = project_root()
    return cache_folder() / "models" if root == _package() else root / ".models"


def cache_folder() -> Path:
    """Return the folder in the user's cache: ``$XDG_CACHE_HOME/cqa-spark``, or ``~/.cache/cqa-spark``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cqa-spark"


def _package() -> Path:
    return Path(str(files("cqa_spark"))).resolve()
