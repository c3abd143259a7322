"""The sentences about a site, shared by the terminal and the page."""

from cqa_spark.reports.kit.wording import count, counted, file_name, number, percent
from cqa_spark.reports.sections.inspection.accounting import FileTotals, Refusal
from cqa_spark.reports.sections.inspection.contents import Quartiles, ThreadCounts
from cqa_spark.reports.sections.inspection.facts import SiteFacts


def spread(quartiles: Quartiles) -> str:
    """Median, interquartile range and range of a distribution."""
    middle = f"median {number(quartiles.median)}, middle half {number(quartiles.lower)} to {number(quartiles.upper)}"
    return f"{middle}, range {number(quartiles.lowest)} to {number(quartiles.highest)}"


def period(site: SiteFacts) -> str:
    """First and last date of a site; empty if they are unknown."""
    if site.first is None or site.last is None:
        return ""
    return site.first if site.first == site.last else f"{site.first} to {site.last}"


def threads_sentence(site: SiteFacts) -> str:
    """Questions and answers, answers per question, share with an accepted answer; a forum may have no answers."""
    threads = site.threads
    if threads is None:
        return ""
    invented = f"; {counted(threads.invented, 'post')} invented by the archive, not used" if threads.invented else ""
    return _questions_and_answers(threads) + invented


def _questions_and_answers(threads: ThreadCounts) -> str:
    questions = counted(threads.questions, "question")
    if threads.questions and not threads.answers:
        return questions
    text = f"{questions}, {counted(threads.answers, 'answer')}"
    if threads.answers_per_question is None:
        return text
    mean = f"{threads.answers_per_question:.2f} answers per question"
    return f"{text}: {mean}; {percent(threads.accepted, threads.questions)} of the questions have an accepted answer"


def files_sentence(totals: FileTotals) -> str:
    """Number of files, and their lines by outcome."""
    files = counted(totals.files, "file")
    if totals.incomplete:
        files += f", {count(totals.incomplete)} truncated"
    parts = [f"{count(totals.rows_out)} rows", f"{count(totals.rows_quarantined)} quarantined"]
    if totals.rows_forgotten:
        parts.append(f"{count(totals.rows_forgotten)} forgotten")
    if totals.lines is None:
        return f"{files}: {' + '.join(parts)}"
    other = f"{count(totals.not_rows)} without a record"
    return f"{files}: {counted(totals.lines, 'line')} = {' + '.join([*parts, other])}"


def location(refusal: Refusal) -> str:
    """File and byte offset of the example."""
    return f"{file_name(refusal.source_file)}, byte {count(refusal.byte_offset)}"
