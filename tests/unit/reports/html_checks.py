"""Checks that hold for every page."""

import re
from collections.abc import Callable
from functools import partial

from lxml import etree, html
from markupsafe import Markup

from cqa_spark.reports.kit.svg import NARROW, Picture, draw

ACTIVE = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "input"}


def drawn(plot: Callable[..., Picture], *values: object, width: int = NARROW) -> Markup:
    """A plot of some values."""
    return draw(partial(plot, *values), "figure", width)


def labels(drawing: Markup) -> list[str]:
    """The texts of a drawing, in order."""
    return [element.text for element in etree.fromstring(drawing).iter("text")]


def words(element: html.HtmlElement) -> str:
    """The text of an element, with single spaces."""
    return " ".join(element.text_content().split())


def rows(table: html.HtmlElement) -> list[list[str]]:
    """The text of the body cells of a table."""
    return [[words(cell) for cell in row] for row in table.iterfind(".//tbody/tr")]


def assert_inert(document: html.HtmlElement) -> None:
    """The page has no active elements and no event handlers."""
    assert not [element.tag for element in document.iter() if element.tag in ACTIVE]
    assert not [name for element in document.iter() for name in element.attrib if name.startswith("on")]


def assert_no_requests(page: str) -> None:
    """The page refers to nothing outside itself, and its policy allows no requests."""
    assert not re.search(r"(?:https?:)?//\w", re.sub(r"<bdi.*?</bdi>", "", page, flags=re.S))
    assert "@import" not in page
    document = html.document_fromstring(page)
    for element in document.iter():
        for attribute in ("src", "srcset", "action", "data", "poster"):
            assert attribute not in element.attrib
        assert element.get("href", "#").startswith("#")
    policy = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def assert_references_resolve(page: str) -> None:
    """All ids are unique, and every reference has a target."""
    identifiers = re.findall(r'\sid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert all(re.fullmatch(r"[\w-]+", each, flags=re.ASCII) for each in identifiers)
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', page)) <= set(identifiers)
