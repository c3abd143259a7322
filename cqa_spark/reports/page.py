"""What every page has in common: templates that escape, and its bytes."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cqa_spark.control_characters import visible


def page_environment() -> Environment:
    """The templates' environment; all text is escaped, control characters are shown, an unknown name is an error."""
    return Environment(
        loader=PackageLoader("cqa_spark.reports", "templates"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_bytes(page: str) -> bytes:
    """A page as it is stored; a character that UTF-8 cannot hold, half of a pair, becomes a question mark."""
    return page.encode("utf-8", errors="replace")


def _visible(value: Any) -> Any:
    """The value of an expression as a page shows it; markup is ours."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
