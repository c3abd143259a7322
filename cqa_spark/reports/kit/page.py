"""Renders HTML from templates: no network requests, all text escaped, control characters visible."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cqa_spark.process.terminal import visible
from cqa_spark.reports.kit import wording
from cqa_spark.reports.kit import wording as numbers

PACKAGE = "cqa_spark.reports"
"""Package of the kit's templates, which every template can import."""

_FILTERS = (
    numbers.points, numbers.signed_points, numbers.score, numbers.p_value, numbers.count, numbers.duration,
    numbers.size, wording.heading, wording.readable, wording.file_name, wording.verdict, wording.difference_interval,
    wording.evidence,
)  # fmt: skip
_FUNCTIONS = (numbers.counted, numbers.percent, numbers.interval)


def fragment(template: str, package: str = PACKAGE, **values: Any) -> Markup:
    """Render a part of a page; the same values give the same text.

    Args:
        template: path of the template in its package.
        package: package of the template.
        values: variables of the template; all strings but ``Markup`` are escaped.

    Raises:
        jinja2.UndefinedError: the template uses a variable that is not in ``values``.
    """
    return Markup(_environment(package).get_template(template).render(values))


def rendering(template: str, name: str) -> Callable[[Any], Markup]:
    """The function that renders values with a template of the kit or of our sections.

    Args:
        template: path of the template.
        name: variable of the template that holds the values.
    """
    return lambda values: fragment(template, **{name: values})


def _macro(name: str) -> Callable[..., Markup]:
    """The function that renders a macro of the kit."""

    def render(*values: Any) -> Markup:
        rendered: Markup = getattr(_environment(PACKAGE).get_template("kit/macros.html.j2").module, name)(*values)
        return rendered

    return render


section = _macro("section")
"""A part of the page with an entry in its navigation: its id, its heading, and what it consists of, rendered."""

paragraph = _macro("paragraph")
"""A sentence, and its classes in the style sheet, if it has some."""

grid_table = _macro("grid_table")
"""A ``Grid`` with its title and explanation."""

plot = _macro("plot")
"""A ``Drawing`` and its caption."""


def document(
    title: str,
    *,
    header: Markup,
    links: Sequence[tuple[str, str]],
    sections: Sequence[Markup],
    provenance: str,
    script: str | None = None,
) -> str:
    """Render a page that loads nothing from elsewhere: a script may load only others beside the page.

    Args:
        title: title of the document.
        header: what stands above the sections.
        links: ids and titles of the navigation; empty for none.
        sections: the sections, in order.
        provenance: what made the page.
        script: path below this package of the only script that the page's policy allows, by its hash; others it loads.
    """
    code = files(PACKAGE).joinpath(script).read_text(encoding="utf-8") if script else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() if script else ""
    return fragment(
        "kit/page.html.j2",
        title=title,
        header=header,
        links=links,
        sections=sections,
        provenance=provenance,
        script=Markup(code),
        digest=digest,
    )


def page_bytes(page: str) -> bytes:
    """Encode a page as UTF-8; an unpaired surrogate becomes a question mark."""
    return page.encode("utf-8", errors="replace")


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name, ".") for name in dict.fromkeys((package, PACKAGE))]),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {function.__name__: function for function in _FILTERS}
    environment.globals |= {function.__name__: function for function in _FUNCTIONS}
    environment.globals["significant"] = wording.SIGNIFICANT
    return environment


def _visible(value: Any) -> Any:
    """The value of a template expression with visible control characters; markup is trusted."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
