"""``cqa new``: a package with a plug-in, its entry point and its test, from the templates of its kind."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from cqa_spark import __version__
from cqa_spark.commands.jobs import Job
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import Command
from cqa_spark.settings.values import OutputFolder, Positional, Shown


class NewSettings(Command):
    """Write a package with a plug-in, its entry point and a test on literal values, or a recipe.

    Install the package with ``pip install --editable NAME``; then its plug-in has a name like ours.
    """

    examples = (
        "cqa new feature-group shoe_size",
        "cqa new ranker coin_toss --output plugins",
        "cqa new check enough_posts",
        "cqa new recipe mine",
    )

    kind: Annotated[
        Literal[
            "feature-group",
            "ranker",
            "measure",
            "task",
            "check",
            "section",
            "finding",
            "encoder",
            "source",
            "store",
            "recipe",
        ],
        Positional(),
        Field(description="kind of plug-in"),
    ]
    name: Annotated[
        str,
        StringConstraints(pattern="^[a-z][a-z0-9_]*$"),
        Positional(),
        Shown("NAME"),
        Field(description="name of the plug-in and its package: small letters, digits and underscores"),
    ]
    output: Annotated[OutputFolder, Field(description="folder of the package, or of the recipe")] = "."


GROUPS = {
    "feature-group": "feature_groups",
    "ranker": "rankers",
    "measure": "measures",
    "task": "tasks",
    "check": "checks",
    "section": "report_sections",
    "finding": "findings",
    "encoder": "encoders",
    "source": "corpora",
    "store": "object_stores",
}
"""The group of the entry point, without its prefix, by kind of plug-in."""


def new(settings: NewSettings) -> None:
    """Write the package, or the recipe.

    Raises:
        InputError: the folder or the file exists.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("cqa_spark.commands"), undefined=StrictUndefined, keep_trailing_newline=True
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


JOBS = (Job("new", "write a package with a plug-in and its test", "inspection", NewSettings, new),)
