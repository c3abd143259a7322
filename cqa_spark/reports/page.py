"""What every page has in common: templates that escape, and its bytes."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined


def page_environment() -> Environment:
    """The templates' environment; all text is escaped, an unknown name is an error."""
    return Environment(
        loader=PackageLoader("cqa_spark.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_bytes(page: str) -> bytes:
    """A page as it is stored; a character that UTF-8 cannot hold, half of a pair, becomes a question mark."""
    return page.encode("utf-8", errors="replace")
