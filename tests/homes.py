"""Homes for tests: the project's settings, with systems and data sets that are quicker than its own."""

import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from cqa_spark.settings.conf_files import project_root


def make_home(
    folder: Path,
    *,
    systems: Iterable[Mapping[str, Any]] = (),
    datasets: Iterable[Mapping[str, Any]] = (),
    without: Collection[str] = (),
) -> Path:
    """Make a home that ``CQA_HOME`` can name.

    Args:
        folder: does not exist yet.
        systems: are added to the project's, or stand in for those of the same name.
        datasets: so are these.
        without: "systems" or "datasets", of which there are to be none but the given.
    """
    shutil.copytree(project_root() / "conf", folder / "conf", ignore=shutil.ignore_patterns(*without))
    (folder / ".jars").symlink_to(project_root() / ".jars")
    for kind, described in (("systems", systems), ("datasets", datasets)):
        (folder / "conf" / kind).mkdir(exist_ok=True)
        for each in described:
            text = yaml.safe_dump({"about": "For tests.", **each})
            (folder / "conf" / kind / f"{each['name']}.yaml").write_text(text, encoding="utf-8")
    return folder


def metadata_systems(*groups: str) -> list[dict[str, Any]]:
    """Logistic regression on few groups of metadata, as of the cut and of the dump, in place of the one on all.

    Args:
        groups: without variant and version, such as "badges".
    """
    return [
        {
            "name": f"metadata_logistic_{variant}",
            "task": "preferred_answer",
            "feature_groups": [f"{group}_{variant}_v1" for group in groups],
            "ranker": {"name": "logistic_regression", "parameters": {"l2": 0.01}},
        }
        for variant in ("asof", "snapshot")
    ]
