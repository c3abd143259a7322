"""Writes rows of any file of a dump: frame, attributes, dates, licences, accounts, and XML escapes as in the dumps."""

from collections.abc import Iterable, Mapping

import numpy as np

from cqa_spark.synth.stackexchange.population import Flags, Ints

# As in the dumps of 2023: byte order mark, CR and LF as line break, no line break at the end.
HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<{}>\r\n'
TAIL = "</{}>"
FILES = ("Badges", "Comments", "PostHistory", "PostLinks", "Posts", "Tags", "Users", "Votes")
"""The files of a dump; their root elements are the same in small letters."""

LICENCES = ("CC BY-SA 2.5", "CC BY-SA 3.0", "CC BY-SA 4.0")
# Start of the second and of the third licence, as in the dumps.
LICENSED_FROM = np.array(["2011-04-08", "2018-05-02"], dtype="datetime64[ms]").astype(np.int64)


def stamps(times: Ints) -> list[str]:
    """Format times as in the dumps, such as ``2016-09-03T19:03:11.643``.

    Args:
        times: milliseconds since 1970.
    """
    return np.datetime_as_string(times.astype("datetime64[ms]")).tolist()


def licences(times: Ints) -> list[str]:
    """Return the licence of a text published at each time."""
    return [LICENCES[index] for index in np.searchsorted(LICENSED_FROM, times, side="right").tolist()]


def user_ids(members: Ints) -> list[int]:
    """Return the ids of members; -1 is the site's own account."""
    return np.where(members >= 0, members + 1, -1).tolist()


def accounts(members: Ints, deleted: Flags, prefix: str = "") -> dict[str, list[object]]:
    """The attributes that name accounts: the id, or the name that remains of a deleted account.

    Args:
        members: numbers of members.
        deleted: whether the account was deleted, for each member.
        prefix: what the names of the attributes start with.
    """
    ids = user_ids(members)
    return {
        f"{prefix}UserId": some(ids, ~deleted),
        f"{prefix or 'User'}DisplayName": some([f"user{own}" for own in ids], deleted),
    }


def some(values: Iterable[object], present: Flags) -> list[object]:
    """The values that are present, and None in place of the others."""
    return [value if is_present else None for value, is_present in zip(values, present.tolist(), strict=True)]


def padded(values: Iterable[object], size: int) -> list[object]:
    """The values, followed by None up to a size."""
    present = list(values)
    return [*present, *[None] * (size - len(present))]


def xml_rows(attributes: Mapping[str, Iterable[object]]) -> list[str]:
    """Rows of a file, without attributes whose value is None.

    Args:
        attributes: by name the values of all rows, escaped for XML.
    """
    columns = [
        ["" if value is None else f' {name}="{value}"' for value in values] for name, values in attributes.items()
    ]
    return [f"  <row{''.join(parts)} />\r\n" for parts in zip(*columns, strict=True)]


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
