"""The job that a config file names by its key ``job``: ``cqa run --config FILE`` runs that one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from cqa_spark.config.project_root import project_root
from cqa_spark.config.yaml_files import YamlError, read_yaml

JOB = "job"


def named_job(arguments: Sequence[str]) -> str | None:
    """The job that the last of the ``--config`` files names which names one; None where none does.

    Files that cannot be read are left to the job, which reports them with all other problems.

    Args:
        arguments: the command line after the command.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config", action="append", default=[])
    try:
        files = parser.parse_known_args(list(arguments))[0].config
    except argparse.ArgumentError:
        return None
    named = None
    for file in files:
        try:
            value = read_yaml(config_file(file)).value
        except YamlError:
            continue
        named = value.get(JOB, named) if isinstance(value, dict) else named
    return None if named is None else str(named)


def config_file(given: str) -> Path:
    """A ``--config`` file: that of the project for ``conf/NAME.yaml``, unless the working directory has one."""
    path, own = Path(given), project_root() / given
    return own if given.startswith("conf/") and own.is_file() and not path.exists() else path
