"""Escapes of the dumps' XML, and the Markdown behind a post's HTML."""

from __future__ import annotations

# As the dumps write attribute values: an apostrophe and a tab stay as they are.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#xA;", "\r": "&#xD;"})


def attribute_value(text: str) -> str:
    """Escape a text as the dumps do."""
    return text.translate(ESCAPES)


# Both sides as they stand in the dumps. The order matters: line breaks first, a paragraph inside a quote before a
# paragraph, the ampersand of an entity last.
MARKDOWN = [
    (attribute_value(html), attribute_value(markdown))
    for html, markdown in (
        ("\n", "\r\n"),
        ("<pre><code>", "```\r\n"),
        ("</code></pre>", "```"),
        ("<blockquote>\r\n<p>", "> "),
        ("</p>\r\n</blockquote>", ""),
        ("<ul>\r\n", ""),
        ("</ul>\r\n", ""),
        ("<li>", " - "),
        ("</li>", ""),
        ("<p>", ""),
        ("</p>", ""),
        ("<code>", "`"),
        ("</code>", "`"),
        ("<strong>", "**"),
        ("</strong>", "**"),
        ("<em>", "*"),
        ("</em>", "*"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", '"'),
        ("&amp;", "&"),
    )
]


def markdown(html: str) -> str:
    """Give what the author may have typed.

    Args:
        html: as the site's posts have it, escaped for XML.

    Returns:
        Markdown, escaped for XML. Links stay HTML, which Markdown allows.
    """
    for tag, mark in MARKDOWN:
        html = html.replace(tag, mark)
    return html
