"""``cqa setup``: downloads and checks the jars, once per installation."""

from __future__ import annotations

from cqa_spark.config.file_commands import SetupSettings
from cqa_spark.config.project_root import jars_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.spark.jars import resolve_jars


def setup(settings: SetupSettings) -> None:
    """Resolve the jars; jobs download nothing."""
    jars = resolve_jars(write_hashes=settings.write_hashes)
    size = sum(jar.stat().st_size for jar in jars)
    Terminal().line(f"{len(jars)} jars, {size / 1e6:.0f} MB, in {jars_folder()}")
