"""Renders a self-contained HTML page: no network requests, all text escaped, control characters visible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cqa_spark.process.control_characters import visible
from cqa_spark.reports.kit import numbers, significance, text, units

_FILTERS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            numbers.points,
            numbers.signed_points,
            numbers.score,
            numbers.p_value,
            numbers.count,
            units.duration,
            units.size,
            text.heading,
            text.readable,
            text.file_name,
            significance.verdict,
        )
    }
)
_FUNCTIONS = MappingProxyType({"counted": numbers.counted, "percent": numbers.percent, "interval": numbers.interval})


def render_page(template: str, filters: Mapping[str, Callable[..., str]], **values: Any) -> str:
    """Render a template; the same values give the same text.

    Args:
        template: path of the template, below ``cqa_spark/reports``.
        filters: the topic's own template filters by name, beside the number and text formats of the kit.
        values: variables of the template.

    Raises:
        jinja2.UndefinedError: the template uses a variable that is not in ``values``.
    """
    environment = Environment(
        loader=PackageLoader("cqa_spark.reports", "."),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {**_FILTERS, **filters}
    environment.globals |= _FUNCTIONS
    return environment.get_template(template).render(values)


def page_bytes(page: str) -> bytes:
    """Encode a page as UTF-8; an unpaired surrogate becomes a question mark."""
    return page.encode("utf-8", errors="replace")


def _visible(value: Any) -> Any:
    """The value of a template expression with visible control characters; markup is trusted."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
