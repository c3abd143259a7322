"""Files at the top of the repository as pages of the documentation."""

import re
from pathlib import Path

LINK = re.compile(r"\]\((?!https?://|#)([^)]+)\)")


def project_page(path: Path, pages: frozenset[str]) -> str:
    """A file of the repository as a page.

    Args:
        path: the file, such as ``CONTRIBUTING.md``.
        pages: names of the project files that are pages.

    Links into ``docs/`` and to other such files become links between pages.
    """
    return LINK.sub(lambda found: f"]({_target(found[1], pages)})", path.read_text(encoding="utf-8"))


def _target(link: str, pages: frozenset[str]) -> str:
    name = link.partition("#")[0]
    return link.removeprefix("docs/") if name.startswith("docs/") or name in pages else link
