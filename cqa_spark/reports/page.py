"""What every page has in common: templates that escape, and a file that is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined


def page_environment() -> Environment:
    """The templates' environment; all text is escaped, an unknown name is an error."""
    return Environment(
        loader=PackageLoader("cqa_spark.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_page(page: str, path: Path) -> None:
    """Write a page; the file is there whole or not at all.

    Args:
        page: its HTML.
        path: the file; its folder is made where it is missing.

    Raises:
        OSError: the folder cannot be written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n", errors="replace") as file:
            file.write(page)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
