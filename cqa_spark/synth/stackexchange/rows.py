"""Parts of rows that all files share: frame, dates, licences, accounts."""

from __future__ import annotations

import numpy as np

from cqa_spark.synth.stackexchange.draws import Flags, Ints

# As in the dumps of 2023: byte order mark, CR and LF as line break, no line break at the end.
HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<{}>\r\n'
TAIL = "</{}>"
# Each file and its root element.
TABLES = {
    "Badges": "badges",
    "Comments": "comments",
    "PostHistory": "posthistory",
    "PostLinks": "postlinks",
    "Posts": "posts",
    "Tags": "tags",
    "Users": "users",
    "Votes": "votes",
}
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
    return [LICENCES[which] for which in np.searchsorted(LICENSED_FROM, times, side="right").tolist()]


def user_ids(members: Ints) -> list[int]:
    """Return the ids of members; -1 is the site's own account."""
    return np.where(members >= 0, members + 1, -1).tolist()


def accounts(members: Ints, deleted: Flags, names: tuple[str, str]) -> list[str]:
    """Write the attribute that names an account: the id, or the name that remains of a deleted account.

    Args:
        members: numbers of members.
        deleted: whether the account was deleted, for each member.
        names: names of the attributes for the id and for the name.
    """
    return [
        f'{names[1]}="user{number}"' if gone else f'{names[0]}="{number}"'
        for number, gone in zip(user_ids(members), deleted.tolist(), strict=True)
    ]
