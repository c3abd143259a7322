"""Notebooks as pages: their texts, their code, and the outputs that they were saved with.

PYTHONPATH=docs python -m generators.notebooks docs/notebooks/NAME.ipynb    # executes it, and saves what it shows
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbclient
import nbformat

MINUTES = 30
"""A cell may run that long; a night of a small site takes one on a free machine."""


def execute(path: Path) -> None:
    """Execute a notebook in an empty folder, and save what its cells return and print, without the progress of jobs."""
    notebook = nbformat.read(path, as_version=4)
    metadata = {**notebook.metadata}
    with TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = nbclient.NotebookClient(notebook, timeout=60 * MINUTES, record_timing=False, resources=resources)
        client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                output
                for output in cell.outputs
                if output.output_type == "execute_result" or output.get("name") == "stdout"
            ]
    notebook.metadata = nbformat.from_dict(metadata)  # without the version of Python
    nbformat.write(notebook, path)


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


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        execute(Path(argument))
