"""Markdown of tables and texts that come from code."""

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown on one line."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def page(title: str, *blocks: str) -> str:
    """A page from its title and blocks."""
    return "\n\n".join([f"# {title}", *blocks]) + "\n"


def folded(summary: str, block: str) -> str:
    """A block that the reader unfolds, for what makes a page too long to look through."""
    return f'<details markdown="1">\n<summary>{summary}</summary>\n\n{block}\n\n</details>'


def code(text: str) -> str:
    """Inline code; empty for an empty text."""
    return f"`{text}`" if text else ""


def plain(text: str) -> str:
    """A text in which no character is markup."""
    return "".join(f"&#{ord(each)};" if each in "<>*_`[]\\&" else each for each in text)


def sentence(text: str) -> str:
    """A description that starts with a capital and ends with a full stop."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "&#124;")
