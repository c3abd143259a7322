"""Notebooks as pages: their texts, their code, and the outputs that they were saved with."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat


def notebook_page(path: Path) -> str:
    """A notebook as Markdown."""
    cells = nbformat.read(path, as_version=4).cells
    intro = f"*This page is a notebook: [{path.name}]({path.name}).*"
    title, *rest = [block for cell in cells for block in _cell(cell)]
    return "\n\n".join([title, intro, *rest]) + "\n"


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    if cell["cell_type"] == "markdown":
        yield cell["source"]
        return
    yield f"```python\n{cell['source']}\n```"
    for output in cell["outputs"]:
        yield _output(output)


def _output(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="notebook-output" markdown="0">\n{_joined(data["text/html"])}\n</div>'
    text = _joined(data.get("text/plain", output.get("text", "")))
    return f"```text\n{text.rstrip()}\n```"


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
