"""The table of ``python bench`` in docs/scaling.md: our speed beside that of a peer, both measured in one run.

PYTHONPATH=docs python -m generators.ratios    # measures for ten minutes, and writes ratios.json and the page
"""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from generators.markdown import table, with_sections
from generators.provenance import ROOT, commit, provenance_of

FILE = ROOT / "docs/ratios.json"
PAGE = ROOT / "docs/scaling.md"

HEADINGS = ("what", "ours", "peer", "times its speed")


def with_ratios(page: str, measured: Mapping[str, Any]) -> str:
    """The page with the table of what was measured, and where.

    Args:
        page: with the comments between which the table stands.
        measured: the content of ``ratios.json``.
    """
    rows = [
        (row["measure"], _figure(row, "ours"), f"{_figure(row, 'peer')}, {row['named']}", f"{row['speed']:.2f}")
        for row in measured["rows"]
    ]
    took = (
        f"Measured {measured['date'][:10]} at commit {measured['commit'][:8]} in {measured['seconds']} s on "
        f"{measured['processor']}."
    )
    text = f"{table(HEADINGS, rows)}\n\n*{took}*"
    return with_sections(page, "ratios", {"ratios": lambda: text})


def _figure(row: Mapping[str, Any], side: str) -> str:
    value = row[side]
    return f"{value:,.0f} {row['unit']}" if value >= 100 else f"{value:.3g} {row['unit']}"


def measure() -> None:
    """Run the benchmarks, and write the file and the page."""
    started, measured_at = time.monotonic(), commit()
    output = ROOT / "build/ratios.json"
    output.parent.mkdir(exist_ok=True)
    subprocess.run([sys.executable, "bench", "--output", str(output)], cwd=ROOT, check=True)
    rows = json.loads(output.read_text(encoding="utf-8"))
    measured = provenance_of("python bench", measured_at, {}, time.monotonic() - started) | {"rows": rows}
    FILE.write_text(json.dumps(measured, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(with_ratios(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")


if __name__ == "__main__":
    measure()
