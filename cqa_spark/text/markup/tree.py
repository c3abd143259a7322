"""Walks the tree that a browser would build from valid or invalid HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

TEXT = "-text"
WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS.value

Attribute = Callable[[str], str | None]
"""Looks up an element's attribute by name; None if it is absent or has no value."""


class Visitor(Protocol):
    """Callbacks for every node, in document order."""

    def enter(self, tag: str, attribute: Attribute) -> None:
        """An element starts.

        Args:
            tag: its name, lower case.
            attribute: looks up its attributes.
        """

    def leave(self, tag: str) -> None:
        """The element that was entered last and is still open ends."""

    def text(self, text: str) -> None:
        """Text between tags, with its entities resolved."""


def walk(html: str, visitor: Visitor) -> None:
    """Parse HTML as the content of an element, and pass its nodes to a visitor.

    The parser follows the HTML standard: any string has a tree. The walk keeps its own stack, because nesting may be
    deeper than Python's.

    Args:
        html: any string; NUL characters are removed, as in the standard.
        visitor: receives elements and texts, but no comments.
    """
    node: LexborNode | None = LexborHTMLParser(html, is_fragment=True, options=WITHOUT_EVENTS).root
    open_elements: list[tuple[LexborNode, str]] = []
    while True:
        while node is not None:
            tag = node.tag or ""
            if tag == TEXT:
                visitor.text(node.text_content or "")
            elif node.is_element_node:
                visitor.enter(tag, node.attrs.get)
                child = node.first_child
                if child is not None:
                    open_elements.append((node, tag))
                    node = child
                    continue
                visitor.leave(tag)
            node = node.next
        if not open_elements:
            return
        parent, tag = open_elements.pop()
        visitor.leave(tag)
        node = parent.next
