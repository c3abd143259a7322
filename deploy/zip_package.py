"""Zip the package for spark-submit's `--py-files`: the same sources always give the same bytes."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip file can tell


def zip_package(target: Path) -> None:
    """Write the zip, unless it is there already.

    Args:
        target: file to write.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted((HOME / "cqa_spark").rglob("*")):
            if source.is_file() and "__pycache__" not in source.parts:
                name = source.relative_to(HOME).as_posix()
                archive.writestr(zipfile.ZipInfo(name, EPOCH), source.read_bytes(), zipfile.ZIP_DEFLATED)
    if not target.exists() or target.read_bytes() != content.getvalue():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.getvalue())


if __name__ == "__main__":
    zip_package(Path(sys.argv[1]))
