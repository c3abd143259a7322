"""Writes a plug-in of a kind from its template."""

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from cqa_spark import __version__
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.file_commands import NewSettings

GROUPS = {"feature-group": "feature_groups", "ranker": "rankers", "measure": "measures", "task": "tasks"}
"""The group of the entry point, without its prefix, by kind of plug-in."""


def new(settings: NewSettings) -> None:
    """Write the package, or the recipe.

    Raises:
        InputError: the folder or the file exists.
    """
    templates = Environment(
        loader=PackageLoader("cqa_spark.commands.new"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    values = {
        "name": settings.name,
        "title": "".join(word.capitalize() for word in settings.name.split("_")),
        "kind": settings.kind.replace("-", " "),
        "module": settings.kind.replace("-", "_"),
        "group": GROUPS.get(settings.kind, ""),
        "version": __version__,
    }
    terminal = Terminal()
    for path, template in _files(settings):
        target = Path(settings.output) / path
        if target.exists():
            raise InputError(f"{target} exists", "choose another name, or another folder with --output")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(templates.get_template(template).render(values), encoding="utf-8")
        terminal.line(f"{target}")


def _files(settings: NewSettings) -> list[tuple[str, str]]:
    """Paths of the files, and the template of each."""
    name, kind = settings.name, settings.kind.replace("-", "_")
    if settings.kind == "recipe":
        return [(f"{name}.yaml", "recipe.yaml.j2")]
    return [
        (f"{name}/pyproject.toml", "pyproject.toml.j2"),
        (f"{name}/{name}/__init__.py", "init.py.j2"),
        (f"{name}/{name}/{kind}.py", f"{kind}.py.j2"),
        (f"{name}/test_{name}.py", f"test_{kind}.py.j2"),
    ]
