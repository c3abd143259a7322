"""Tables of the pages, and their numbers."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MINUS = "\N{MINUS SIGN}"


def rows(page: str, heading: str) -> list[list[str]]:
    """The rows of the table whose first column has a heading."""
    _, _, below = (ROOT / page).read_text(encoding="utf-8").partition(f"\n| {heading} |")
    table, _, _ = below.partition("\n\n")
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]


def points(value: float) -> str:
    """A difference in points, with its sign."""
    shown = f"{100 * value:+.1f}".replace("-", MINUS)
    return "0.0" if shown in ("+0.0", f"{MINUS}0.0") else shown
