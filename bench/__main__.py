"""Runs every benchmark on small data, and prints one table with the ratios to their peers.

    .venv/bin/python bench                      # ten minutes on two cores
    .venv/bin/python bench embedding features   # some of them

Each benchmark runs in a process of its own, one after the other; its own output goes to stderr. Figures of clocks vary
with what else the machine does; a ratio compares two figures of one run. Benchmarks without a peer have only seconds.
``make bench`` also writes the table into docs/scaling.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import FIGURES
from rich.console import Console
from rich.table import Column, Table

from cqa_spark.synth.qatar_living import write_sample

SMALL = {
    "ingest": ("--generate", "50MB", "--repeat", "2"),
    "nightly": ("--sites", "2", "--threads", "500"),
    "many_sites": ("--sites", "4", "--megabytes", "4"),
    "storage": ("--threads", "200", "--nights", "2"),
    "text": ("--comments", "1250"),
    "features": ("--posts", "100000", "--subjects", "ours, warmed up", "pandas"),
    "embedding": ("--texts", "200", "--rounds", "2"),
    "tree_kernel": ("--trees", "100", "--pairs", "50"),
    "retrieval": ("20000",),
    "dense_retrieval": ("10000",),
    "scale training": ("--rows", "20000", "--features", "50", "--trees", "20", "--workers", "1"),
    "scale measures": ("--queries", "5000"),
}
"""The benchmarks, each with the options of a small run."""

NOT_LOCKED = {"retrieval": "bm25s", "dense_retrieval": "usearch"}
"""Peers that are no dependency of the project, by benchmark: without its peer, a benchmark does not run."""


def main() -> None:
    """Run them, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", help=f"of {', '.join(SMALL)}; default: all")
    parser.add_argument("--output", type=Path, help="also write the figures to this file, as JSON")
    arguments = parser.parse_args()
    names = arguments.benchmarks or list(SMALL)
    if unknown := set(names) - SMALL.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    table = Table(
        "benchmark", "measure", *[Column(name, justify="right") for name in ("ours", "peer", "times its speed")],
        "peer", Column("took, s", justify="right"), title="Small runs; above 1, ours is faster",
    )  # fmt: skip
    rows, failed = [], []
    for name in names:
        code, seconds, figures = _run(name)
        if code and (arguments.output or name not in NOT_LOCKED):
            failed.append(name)
        for figure in figures:
            rows.append({"benchmark": name} | figure)
            values = [f"{figure[side]:,.1f} {figure['unit']}" for side in ("ours", "peer")]
            table.add_row(name, figure["measure"], *values, f"{figure['speed']:.2f}", figure["named"], f"{seconds:.0f}")
        if not figures:
            needs = f", needs: pip install {NOT_LOCKED[name]}" if name in NOT_LOCKED else ""
            table.add_row(name, f"failed{needs}" if code else "no peer", "", "", "", "", f"{seconds:.0f}")
    Console(width=160).print(table)
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def _run(name: str) -> tuple[int, float, list[dict[str, Any]]]:
    """The exit status of a benchmark, its seconds, and its figures."""
    with tempfile.TemporaryDirectory(prefix="cqa-bench-") as folder:
        figures = Path(folder, "figures")
        program, *what = name.split()
        files = [str(write_sample(Path(folder, "sample"), threads=30, dev_threads=5, seed=1).train)]
        arguments = [*what, *(files if name == "tree_kernel" else []), *SMALL[name]]
        command = [sys.executable, str(Path(__file__).with_name(f"{program}.py")), *arguments]
        started = time.perf_counter()
        environment = os.environ | {FIGURES: str(figures)}
        code = subprocess.run(command, cwd=folder, env=environment, stdout=sys.stderr).returncode
        seconds = time.perf_counter() - started
        lines = figures.read_text("utf-8").splitlines() if figures.exists() else []
        return code, seconds, [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
