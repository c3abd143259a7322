"""XML escapes as in the dumps, and the Markdown source of a post's HTML."""

# Attribute values in the dumps: apostrophes and tabs are not escaped.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#xA;", "\r": "&#xD;"})


def attribute_value(text: str) -> str:
    """Escape a text as in the dumps."""
    return text.translate(ESCAPES)


# Both sides are escaped as in the dumps. The order matters: line breaks first, a paragraph inside a quote before a
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
    """Convert the HTML of a post into the Markdown that its author may have typed.

    Args:
        html: HTML of a generated post, escaped for XML.

    Returns:
        Markdown, escaped for XML. Links stay HTML, which Markdown allows.
    """
    for tag, mark in MARKDOWN:
        html = html.replace(tag, mark)
    return html
