"""The hook of mkdocs: adds the pages that are generated from code, recipes, notebooks and project files."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from generators.catalogues import features_page, measures_page, systems_page, tables_page
from generators.commands import commands_page, settings_page
from generators.measurements import measurements_page
from generators.notebooks import notebook_page
from generators.project_files import project_page
from generators.provenance import provenance_page, with_notes
from generators.published import published_page
from generators.python_api import python_page
from generators.reproducibility import reproducibility_page
from generators.reproductions import reproductions_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]

PAGES: Mapping[str, Callable[[], str]] = {
    "reference/commands.md": commands_page,
    "reference/settings.md": settings_page,
    "reference/features.md": features_page,
    "reference/systems.md": systems_page,
    "reference/measures.md": measures_page,
    "reference/tables.md": tables_page,
    "reference/python.md": python_page,
    "reference/reproductions.md": reproductions_page,
    "reference/published.md": published_page,
    "reference/reproducibility.md": reproducibility_page,
    "reference/measurements.md": measurements_page,
    "reference/provenance.md": provenance_page,
}

PROJECT_FILES = frozenset({"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"})


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, text in _generated():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Tables of figures say when they were measured; links to project files, above ``docs/``, become links to pages."""
    markdown = with_notes(markdown)
    for name in PROJECT_FILES:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    return markdown


def on_page_content(html: str, **_: object) -> str:
    """Drawings in characters, whose lines must not wrap as those of other code do, get a class."""
    return re.sub(r"<pre>(?=(?:(?!</pre>).)*[─│▶])", '<pre class="drawing">', html, flags=re.S)


def _generated() -> Iterator[tuple[str, str]]:
    for path, made in PAGES.items():
        yield path, made()
    for name in sorted(PROJECT_FILES):
        yield name, project_page(ROOT / name, PROJECT_FILES)
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        yield f"notebooks/{notebook.stem}.md", notebook_page(notebook)
