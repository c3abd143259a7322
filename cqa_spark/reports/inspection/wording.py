"""How an inspection writes numbers, and the sentences about a site; the terminal and the page share them."""

from __future__ import annotations

from cqa_spark.reports.inspection.content import FileTotals, Quartiles, Refusal, SiteFacts
from cqa_spark.reports.wording import MINUS, count, counted


def percent(part: int, whole: int) -> str:
    """A share in per cent; what is not quite nothing or not quite all never reads as if it were."""
    if part in (0, whole):
        return "100 %" if part and whole else "0 %"
    share = 100 * part / whole
    if share < 0.05:
        return "< 0.1 %"
    return "> 99.9 %" if share >= 99.95 else f"{share:.1f} %"


def number(value: float) -> str:
    """A number without needless decimals."""
    return f"{value:,.2f}".rstrip("0").rstrip(".").replace("-", MINUS)


def spread(quartiles: Quartiles) -> str:
    """Median, the middle half, and the ends."""
    middle = f"median {number(quartiles.median)}, half within {number(quartiles.lower)} to {number(quartiles.upper)}"
    return f"{middle}, all within {number(quartiles.lowest)} to {number(quartiles.highest)}"


def period(first: str | None, last: str | None) -> str:
    """Days from and to; empty where they are not known."""
    if first is None or last is None:
        return ""
    return first if first == last else f"{first} to {last}"


def threads_sentence(site: SiteFacts) -> str:
    """Questions, how many answers they have, and how many an accepted one."""
    threads = site.threads
    if threads is None:
        return ""
    text = f"{counted(threads.questions, 'question')}, {counted(threads.answers, 'answer')}"
    if threads.answers_per_question is None:
        return text
    each = f"{threads.answers_per_question:.2f} answers per question"
    return f"{text}: {each}; {percent(threads.accepted, threads.questions)} of the questions have an accepted answer"


def files_sentence(totals: FileTotals) -> str:
    """Lines of all files and what became of them."""
    files = counted(totals.files, "file")
    if totals.incomplete:
        files += f", {count(totals.incomplete)} truncated"
    parts = [f"{count(totals.rows_out)} rows", f"{count(totals.rows_quarantined)} quarantined"]
    if totals.lines is None:
        return f"{files}: {' + '.join(parts)}"
    return f"{files}: {counted(totals.lines, 'line')} = {' + '.join([*parts, f'{count(totals.not_rows)} not rows'])}"


def file_name(path: str) -> str:
    """The file and its folder, which tells two dumps apart."""
    return "/".join(path.rsplit("/", 2)[-2:])


def place(refusal: Refusal) -> str:
    """Where the example of a refusal stands."""
    return f"{file_name(refusal.source_file)}, byte {count(refusal.byte_offset)}"
