"""The reference of the interface for Python, from its signatures and docstrings."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import cqa_spark as cqa
from generators.markdown import page

INTRO = """`import cqa_spark as cqa` offers the names below. They are imported when they are first used, and Spark
starts when a table of a run is read or a flow runs. Errors are those of `cqa_spark.errors`, with the same messages as
on the command line."""

SECTIONS = {"Args": "Arguments", "Returns": "Returns", "Raises": "Raises", "Attributes": "Attributes"}


def python_page() -> str:
    """Every public function and class with its methods."""
    names = [name for name in cqa.__all__ if not name.startswith("__")]
    functions = [name for name in names if not inspect.isclass(getattr(cqa, name))]
    ordered = sorted(functions) + sorted(set(names) - set(functions))
    return page("Python", INTRO, *(block for name in ordered for block in _documented(name, getattr(cqa, name))))


def _documented(name: str, value: Any) -> Iterator[str]:
    if not inspect.isclass(value):
        yield from _function(f"cqa.{name}", f"## {name}", value)
        return
    yield f"## {name}"
    yield _text(value)
    for method, member in vars(value).items():
        if method.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"### {name}.{method}"
            yield _text(member)
        elif inspect.isfunction(member):
            yield from _function(method, f"### {name}.{method}", member)


def _function(called: str, heading: str, function: Callable[..., Any]) -> Iterator[str]:
    signature = inspect.signature(function)
    shown = [parameter for name, parameter in signature.parameters.items() if name != "self"]
    yield heading
    lines = [f"    {parameter},".replace("'", "") for parameter in shown]
    kinds = [parameter.kind for parameter in shown]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        lines.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "    *,")
    returned = str(signature.return_annotation).replace("'", "")
    call = "\n".join(["(", *lines, ")"]) if lines else "()"
    yield f"```python\n{called}{call} -> {returned}\n```"
    yield _text(function)


def _text(documented: Any) -> str:
    """A docstring as Markdown: its sections of arguments, results and errors are lists, its examples a block."""
    prose, prompt, examples = (inspect.getdoc(documented) or "").partition("\n>>> ")
    lines, section = [], ""
    for line in prose.replace("``", "`").splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            section = line.rstrip(":")
            lines.append(f"\n**{SECTIONS[section]}**\n")
        elif section in ("", "Returns") or not line.startswith("    ") or line.startswith("     "):
            lines.append(line.strip() if section else line)
        else:
            lines.append(f"- {_item(line.strip())}")
    if examples:
        lines.append(f"\n```pycon{prompt}{examples}\n```")
    return "\n".join(lines)


def _item(line: str) -> str:
    name, colon, meaning = line.partition(": ")
    return f"`{name}`: {meaning}" if colon and " " not in name else line
