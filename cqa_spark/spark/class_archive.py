"""An archive of the Java classes that jobs load, which Java maps into memory instead of reading thousands of classes.

An archive serves the Java, the class path and the jars that it was made with. With any other, Java reads the jars.

Source: JEP 350, Dynamic CDS Archives.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cqa_spark.config.project_root import jars_folder

_ARCHIVE = "classes.jsa"

_PATIENCE = 900
"""Seconds within which the command has to end; a minute is usual."""

_QUIET = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
"""Java would warn of an archive that does not serve it, and works without it."""


def archive_options() -> tuple[str, ...]:
    """Options for Java to use the archive; none without an archive."""
    archive = jars_folder() / _ARCHIVE
    return (f"-XX:SharedArchiveFile={archive}", *_QUIET) if archive.is_file() else ()


def make_archive(command: Sequence[str]) -> Path | None:
    """Archive the classes that a command loads.

    Args:
        command: starts Spark in local mode.

    Returns:
        The archive; None if the command failed or took too long, or Java wrote none.
    """
    archive = jars_folder() / _ARCHIVE
    # Java trusts the archive: a truncated one ends it with a bus error.
    partial = archive.with_suffix(".partial")
    archive.unlink(missing_ok=True)
    options = shlex.join([f"-XX:ArchiveClassesAtExit={partial}", *_QUIET])
    # Java inherits the output and writes the archive when it ends, so reading the output to its end waits for that.
    try:
        environment = os.environ | {"SPARK_SUBMIT_OPTS": options}
        subprocess.run(command, env=environment, capture_output=True, check=True, timeout=_PATIENCE)
        return partial.replace(archive)
    except (subprocess.SubprocessError, FileNotFoundError):
        return None
    finally:
        partial.unlink(missing_ok=True)
