"""Compares the compiled partial tree kernel with the same loops in Python, on comments of a Qatar Living file.

python bench/tree_kernel.py SemEval2016-Task3-CQA-QL-dev-subtaskA.xml
"""

import argparse
import time
from collections.abc import Callable
from itertools import islice
from typing import TypeVar

import numpy as np
from lxml import etree
from measuring import add_figure

from cqa_spark.text import tree_kernel as partial_tree_kernel
from cqa_spark.text.trees import Forest, shallow_tree

Result = TypeVar("Result")


def main() -> None:
    """Parse comments, compare pairs of trees with both implementations, and print times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="threads in the layout of SemEval")
    parser.add_argument(
        "--trees", type=int, default=300, help="number of comments; the compiled kernel compares all pairs"
    )
    parser.add_argument("--pairs", type=int, default=300, help="number of pairs compared in Python")
    arguments = parser.parse_args()
    comments = (node.text for _, node in etree.iterparse(arguments.file, tag="RelCText") if node.text)
    texts = list(islice(comments, arguments.trees))
    parsing, forest = _timed(lambda: Forest.of([shallow_tree([text], {}) for text in texts]))
    rows, columns = (places.ravel() for places in np.indices((len(forest), len(forest))))
    few = np.random.default_rng(1).choice(len(rows), arguments.pairs, replace=False)
    partial_tree_kernel.kernel(forest, rows[:1], forest, columns[:1])  # compiles
    compiled, values = _timed(lambda: partial_tree_kernel.kernel(forest, rows, forest, columns))
    for name in ("_kernel", "_longest"):
        setattr(partial_tree_kernel, name, getattr(partial_tree_kernel, name).py_func)
    python, expected = _timed(lambda: partial_tree_kernel.kernel(forest, rows[few], forest, columns[few]))
    assert np.array_equal(values[few], expected), "the values differ"
    a_pair, a_python_pair = compiled / len(rows), python / len(few)
    print(f"{len(texts)} texts parsed in {parsing:.2f} s, {np.diff(forest.first_node).mean():.0f} nodes a tree")
    print(f"compiled {1e6 * a_pair:.0f} µs a pair of trees, Python {1e6 * a_python_pair:.0f} µs", end="; ")
    print(f"ratio {a_python_pair / a_pair:.0f}")
    add_figure("partial tree kernel, a pair of trees", 1e6 * a_pair, 1e6 * a_python_pair, "µs", "the loops in Python")


def _timed(compute: Callable[[], Result]) -> tuple[float, Result]:
    start = time.perf_counter()
    result = compute()
    return time.perf_counter() - start, result


if __name__ == "__main__":
    main()
