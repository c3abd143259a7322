"""Writes rows of Users.xml and Badges.xml."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from cqa_spark.synth.stackexchange.draws import ABOUT_TEXTS, DAY, Ints, generator, uniforms
from cqa_spark.synth.stackexchange.phrasebook import Intent, Phrasebook, Subjects
from cqa_spark.synth.stackexchange.plan import BADGES_EACH, CLOSED, USERS_EACH
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.rows import attribute_value, stamps, user_ids, xml_rows

ABOUT_LENGTHS = (1, 1, 2, 2, 3, 5, 9)  # sentences
ABOUTS = 350
SPEAKING, LOCATED, LINKING = 0.35, 0.4, 0.25  # shares of users with a self-description, a location, a website
LOCATIONS = ("Doha, Qatar", "Łódź, Poland", "São Paulo, Brazil", "Leeds, UK", "Pune, India", "Reno, NV", "Zürich")
FIRST_USER = (
    '  <row Id="-1" Reputation="1" CreationDate="{0}" DisplayName="Community" LastAccessDate="{0}"'
    ' Location="on the server farm" AboutMe="&lt;p&gt;Hi, I\'m not really a person.&lt;/p&gt;&#xA;" Views="0"'
    ' UpVotes="0" DownVotes="0" AccountId="-1" />\r\n'
)
# Name, class (1 gold, 2 silver, 3 bronze), share of users with the badge. Users are drawn independently of everything
# else: badges carry no signal.
BADGES = (
    ("Autobiographer", 3, 0.35),
    ("Supporter", 3, 0.25),
    ("Student", 3, 0.2),
    ("Teacher", 3, 0.15),
    ("Editor", 3, 0.1),
    ("Scholar", 3, 0.08),
    ("Critic", 3, 0.06),
    ("Commentator", 3, 0.04),
    ("Yearling", 2, 0.2),
    ("Enthusiast", 2, 0.05),
    ("Necromancer", 2, 0.03),
    ("Fanatic", 1, 0.01),
)
TAG_BADGES = 0.05


def about_texts(tags: int, phrasebook: Phrasebook, seed: int) -> list[str]:
    """Compose self-descriptions, each of which many users share."""
    rng = generator(seed, 1, ABOUT_TEXTS)
    subjects = Subjects(
        rng.integers(tags, size=(ABOUTS, 1)), np.ones(ABOUTS, dtype=np.int64), np.zeros((ABOUTS, 1), dtype=np.int64)
    )
    lengths = np.resize(ABOUT_LENGTHS, ABOUTS)
    patterns = phrasebook.choose(Intent.ABOUT, rng, int(lengths.sum()))
    speech = phrasebook.say(patterns, subjects, np.repeat(np.arange(ABOUTS), lengths), rng)
    ends = np.cumsum(lengths).tolist()
    return [
        attribute_value("<p>") + speech.passage(begin, end) + attribute_value("</p>\n")
        for begin, end in zip([0, *ends[:-1]], ends, strict=True)
    ]


def user_rows(
    members: Ints, points: Ints, last_seen: Ints, population: Population, abouts: list[str], seed: int
) -> str:
    """Write users by id, without deleted ones; the site's own account precedes the first user.

    Args:
        members: numbers of the users.
        points: reputation gained by each user.
        last_seen: time of the last activity of each user, in milliseconds since 1970.
        population: members of the site.
        abouts: texts from ``about_texts``.
        seed: random seed of the site.
    """

    def choice(purpose: str, chance: float, items: Sequence[str], *, own: bool = False) -> list[object]:
        """For each member one of the items, or None; with ``own``, the item of the member."""
        value = uniforms(seed, purpose, members)
        index = np.arange(len(members)) if own else (value / chance * len(items)).astype(np.int64)
        return [items[at] if has else None for at, has in zip(index.tolist(), (value < chance).tolist(), strict=True)]

    joined = population.joined(members)
    active: Ints = np.maximum(joined, last_seen)
    visit = np.maximum(0, np.minimum(uniforms(seed, "visit", members) * 90 * DAY, CLOSED - active))
    ids = user_ids(members)
    up_votes = _counts(seed, "up votes", members)
    rows = xml_rows(
        {
            "Id": ids,
            "Reputation": np.maximum(1, 1 + points).tolist(),
            "CreationDate": stamps(joined),
            "DisplayName": population.names(members),
            "LastAccessDate": stamps(active + visit.astype(np.int64)),
            "WebsiteUrl": choice("website", LINKING, [f"https://user{own}.example.org" for own in ids], own=True),
            "Location": choice("location", LOCATED, LOCATIONS),
            "AboutMe": choice("about", SPEAKING, abouts),
            "Views": (_counts(seed, "views", members) - 1).tolist(),
            "UpVotes": (up_votes - 1).tolist(),
            "DownVotes": (up_votes // 9).tolist(),
            "AccountId": [3 * own + 1000 for own in ids],
        }
    )
    first = [FIRST_USER.format(stamps(joined[:1])[0])] if members[0] == 0 else []
    return "".join([*first, *compress(rows, (~population.is_deleted(members)).tolist())])


def badge_rows(members: Ints, population: Population, tag_names: Sequence[str], block: int, seed: int) -> str:
    """Write the badges of a block of users in chronological order."""
    alive = members[~population.is_deleted(members)]
    joined = population.joined(alive)
    badges: list[tuple[int, str]] = []

    def give(holders: Ints, since: Ints, purpose: str, names: Sequence[str], level: int, *, tag_based: bool) -> None:
        times = since + (uniforms(seed, f"time of {purpose}", holders) ** 3 * (CLOSED - since)).astype(np.int64)
        for user, name, time, stamp in zip(user_ids(holders), names, times.tolist(), stamps(times), strict=True):
            row = f' UserId="{user}" Name="{name}" Date="{stamp}" Class="{level}" TagBased="{tag_based}" />\r\n'
            badges.append((time, row))

    for name, level, chance in BADGES:
        has = uniforms(seed, name, alive) < chance
        give(alive[has], joined[has], name, [name] * int(has.sum()), level, tag_based=False)
    has = uniforms(seed, "tag badge", alive) < TAG_BADGES
    tags = (uniforms(seed, "tag of badge", alive[has]) ** 2 * len(tag_names)).astype(np.int64).tolist()
    give(alive[has], joined[has], "tag badge", [tag_names[tag] for tag in tags], 3, tag_based=True)
    badges.sort()
    first = 1 + block * USERS_EACH * BADGES_EACH
    return "".join(f'  <row Id="{number}"{rest}' for number, (_, rest) in enumerate(badges, start=first))


def _counts(seed: int, purpose: str, members: Ints) -> Ints:
    """A number of each member, of which few are large."""
    return (1 / (1 - uniforms(seed, purpose, members)) ** 0.8).astype(np.int64)
