"""Runs every benchmark on small data, and prints one table with the ratios to their peers.

    .venv/bin/python bench                      # ten minutes on two cores
    .venv/bin/python bench embedding features   # some of them

Each benchmark runs in a process of its own, one after the other; its own output goes to stderr. Figures of clocks vary
with what else the machine does; a ratio compares two figures of one run. Benchmarks without a peer have only seconds.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
    names = parser.parse_args().benchmarks or list(SMALL)
    if unknown := set(names) - SMALL.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    table = Table(
        "benchmark", "measure", *[Column(name, justify="right") for name in ("ours", "peer", "ratio")], "peer",
        Column("took, s", justify="right"), title="Small runs; the ratio is ours to the peer's",
    )  # fmt: skip
    failed = [name for name in names if not _add_rows(table, name)]
    Console(width=160).print(table)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def _add_rows(table: Table, name: str) -> bool:
    """Run a benchmark and add its figures; return whether it succeeded."""
    with tempfile.TemporaryDirectory(prefix="cqa-bench-") as folder:
        figures = Path(folder, "figures")
        program, *what = name.split()
        files = [str(write_sample(Path(folder, "sample"), threads=30, dev_threads=5, seed=1).train)]
        arguments = [*what, *(files if name == "tree_kernel" else []), *SMALL[name]]
        command = [sys.executable, str(Path(__file__).with_name(f"{program}.py")), *arguments]
        started = time.perf_counter()
        environment = os.environ | {FIGURES: str(figures)}
        code = subprocess.run(command, cwd=folder, env=environment, stdout=sys.stderr).returncode
        seconds = f"{time.perf_counter() - started:.0f}"
        found = [json.loads(line) for line in figures.read_text("utf-8").splitlines()] if figures.exists() else []
    for each in found:
        values = [f"{each[side]:,.1f} {each['unit']}" for side in ("ours", "peer")]
        table.add_row(name, each["measure"], *values, f"{each['ours'] / each['peer']:.2f}", each["named"], seconds)
    if not found:
        needs = f", needs: pip install {NOT_LOCKED[name]}" if name in NOT_LOCKED else ""
        table.add_row(name, "no peer" if not code else f"failed{needs}", "", "", "", "", seconds)
    return not code or name in NOT_LOCKED


if __name__ == "__main__":
    main()
