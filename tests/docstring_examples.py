"""Runs the examples in the docstrings of a module."""

import doctest
from importlib import import_module
from typing import Any


def run_examples(module: str, **names: Any) -> int:
    """Run every example of a module in the current folder, and return their number.

    Args:
        module: its dotted name.
        names: what the examples find beside the names of their module.

    Raises:
        AssertionError: an example printed something else; the message shows both.
    """
    loaded = import_module(module)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(loaded, extraglobs=names):
        runner.run(test, out=report.append)
    results = runner.summarize(verbose=False)
    assert results.failed == 0, "".join(report)
    return results.attempted
