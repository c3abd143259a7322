"""Zip the package for spark-submit's `--py-files`: the same sources always give the same bytes.

The zip has the metadata of a wheel, which list our plug-ins (`cqa_spark/plugins.py`).
"""

import io
import sys
import tomllib
import zipfile
from collections.abc import Iterator
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
                _add(archive, source.relative_to(HOME).as_posix(), source.read_bytes())
        for name, text in _metadata():
            _add(archive, name, text.encode())
    if not target.exists() or target.read_bytes() != content.getvalue():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.getvalue())


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)


def _metadata() -> Iterator[tuple[str, str]]:
    """The files of a wheel's metadata that Python reads: paths and content."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    yield f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()), "")
    ]
    yield f"{folder}/entry_points.txt", "\n".join(lines)


if __name__ == "__main__":
    zip_package(Path(sys.argv[1]))
