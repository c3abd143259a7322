"""Blocks as HTML: no network requests, all text escaped, control characters visible."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cqa_spark.process.terminal import visible
from cqa_spark.reports.kit import wording
from cqa_spark.reports.kit.blocks import Banner, Block, Cell, Only, Plot, Span, Words, plain
from cqa_spark.reports.kit.svg import draw_both, draw_small

PACKAGE = "cqa_spark.reports"
"""Package of the kit's templates, which every template can import."""

_FILTERS = (wording.points, wording.signed_points, wording.count, wording.heading, wording.readable)

_SPANS = {
    "forum": '<bdi dir="auto">{text}</bdi>',
    "bold": "<b>{text}</b>",
    "code": "<code>{text}</code>",
    "break": "<br>",
    "link": '<a href="{address}">{text}</a>',
}


class Part(NamedTuple):
    """A part of a page with an entry in its navigation.

    Attributes:
        id: its id.
        link: its title in the navigation.
        heading: its heading.
        blocks: what it consists of; HTML of a template is the whole part.
    """

    id: str
    link: str
    heading: Words
    blocks: Sequence[Block] | Markup


def fragment(template: str, package: str = PACKAGE, **values: Any) -> Markup:
    """Render a template of a section that draws what no block is; the same values give the same text.

    Args:
        template: path of the template in its package.
        package: package of the template.
        values: variables of the template; all strings but ``Markup`` are escaped.

    Raises:
        jinja2.UndefinedError: the template uses a variable that is not in ``values``.
    """
    return Markup(_environment(package).get_template(template).render(values))


def words(text: Words) -> Markup:
    """A text with its formats."""
    if isinstance(text, str):
        return _breakable(text)
    if not isinstance(text, Span):
        return Markup("").join(map(words, text))
    shown = Markup.escape(visible(text.text)) if text.kind in ("forum", "code") else _breakable(text.text)
    if text.kind == "key":
        colour = Markup(' style="background:var(--{})"').format(text.address) if text.address else ""
        square = Markup('<i class="{}"{}></i>').format(f"chip {text.role}".strip(), colour)
        return Markup('<span class="key">{}{}</span> ').format(square, shown)
    if text.kind:
        return Markup(_SPANS[text.kind]).format(text=shown, address=quote(text.address, safe="/"))
    attributes = Markup(' class="{}"').format(text.role) if text.role else Markup("")
    if text.hint:
        attributes += Markup(' title="{}"').format(visible(text.hint))
    return Markup("<span{}>{}</span>").format(attributes, shown)


def _breakable(text: str) -> Markup:
    """A text whose names can be broken after an underscore, and so are not broken elsewhere."""
    return Markup.escape(visible(text)).replace("_", Markup("_<wbr>"))


def rendered(blocks: Iterable[Block]) -> Markup:
    """Blocks, one below the other."""
    macros = _environment(PACKAGE).get_template("kit/blocks.html.j2").module
    return Markup("\n").join(
        block if isinstance(block, Markup) else getattr(macros, type(block).__name__)(block)
        for block in blocks
        if not (isinstance(block, Only) and block.medium == "terminal")
    )


def document(banner: Banner, parts: Sequence[Part], script: str | None = None) -> str:
    """Render a page that loads nothing from elsewhere: a script may load only others beside the page.

    Args:
        banner: what stands above the sections.
        parts: the sections, in order; several have a navigation.
        script: path below this package of the only script that the page's policy allows, by its hash; others it loads.
    """
    code = files(PACKAGE).joinpath(script).read_text(encoding="utf-8") if script else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() if script else ""
    return fragment("kit/page.html.j2", banner=banner, parts=parts, script=Markup(code), digest=digest)


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
    environment.filters |= {function.__name__: function for function in (*_FILTERS, words, plain, rendered)}
    environment.filters |= {"drawing": _drawing, "cell": lambda name: name if isinstance(name, Cell) else Cell(name)}
    environment.tests["markup"] = lambda value: isinstance(value, Markup)
    return environment


def _drawing(plot: Plot) -> Any:
    return draw_small(plot.plotter, plot.name) if plot.small else draw_both(plot.plotter, plot.name)


def _visible(value: Any) -> Any:
    """The value of a template expression with visible control characters; markup is trusted."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
