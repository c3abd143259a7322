"""The seven as-of groups of preferred answers in plain pandas, as one would write for a site that fits in memory."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from cqa_spark.features.groups.badges import BADGE_SLOTS
from cqa_spark.features.groups.comments import SCALE, measure
from cqa_spark.features.top_tags import TAG_SLOTS

Tables = Mapping[str, pd.DataFrame]
PAIR = ["query_id", "candidate_id"]
MEASURES = ("sentences", "sentiment", "toned_sentences", "toned_sentiment")
DAY = np.timedelta64(86_400_000_000, "us")


def metadata_in_pandas(tables: Tables, *, hours: float = 24, top_tags: int = 24) -> dict[str, pd.DataFrame]:
    """Compute all groups.

    Args:
        tables: examples, posts, comments, users, votes and badges of one site.
        hours: the cut, in hours after the question.
        top_tags: number of tag columns.

    Returns:
        The columns of each group by name, with the ids of the pair (``q_tags``: of the question).
    """
    delay = np.timedelta64(round(hours * 3_600_000_000), "us")
    pairs = tables["examples"].assign(cut=lambda rows: rows["asked_at"] + delay)
    training = pairs[pairs["split"] == "train"]
    slots = _tag_slots(tables, training["cut"].max(), top_tags)
    return {
        "basic_q": _basic_q(pairs, tables["posts"]),
        "basic_a": _basic_a(pairs),
        "q_tags": _q_tags(pairs, tables["posts"], slots),
        "comments": _comments(pairs, tables["comments"]),
        "basic_u": _basic_u(pairs, tables),
        "badges": _badges(pairs, tables["badges"], training["cut"].max()),
        "u_tags": _u_tags(pairs, tables, slots),
    }


def _until(pairs: pd.DataFrame, events: pd.DataFrame, key: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """Totals of the events of each pair's key up to its cut, in the order of the pairs."""
    known = events.dropna(subset=["known_at", *key]).sort_values("known_at", kind="stable", ignore_index=True)
    running = known[[*key, "known_at"]].join(known.groupby(list(key), sort=False)[list(values)].cumsum())
    asked = pairs.assign(place=np.arange(len(pairs))).sort_values("cut", kind="stable")
    found = pd.merge_asof(asked[["place", "cut", *key]], running, left_on="cut", right_on="known_at", by=list(key))
    return found.sort_values("place")[list(values)].fillna(0).set_axis(pairs.index)


def _basic_q(pairs: pd.DataFrame, posts: pd.DataFrame) -> pd.DataFrame:
    answers = posts.loc[posts["post_type"] == "answer", ["thread_id", "created_at"]].sort_values("created_at")
    asked = pairs.assign(place=np.arange(len(pairs))).sort_values("cut")
    found = pd.merge_asof(asked, answers, left_on="cut", right_on="created_at", by="thread_id").sort_values("place")
    last = found["created_at"].set_axis(pairs.index)
    active = pairs["asked_at"].where(last.isna() | (last < pairs["asked_at"]), last)
    return pairs[PAIR].assign(created=_seconds(pairs["asked_at"]), active=_seconds(active))


def _basic_a(pairs: pd.DataFrame) -> pd.DataFrame:
    answered = _seconds(pairs["answered_at"])
    return pairs[PAIR].assign(created=answered, active=answered)


def _votes_by_day(votes: pd.DataFrame) -> pd.DataFrame:
    named = votes.assign(known_at=votes["created_at"].dt.floor("D") + DAY)
    kinds = {"accepted": 1, "up": 2, "down": 3}
    flags = named.assign(**{name: (named["vote_type_id"] == kind).astype("int64") for name, kind in kinds.items()})
    return flags.groupby(["post_id", "known_at"], as_index=False)[list(kinds)].sum()


def _tag_slots(tables: Tables, end: pd.Timestamp, count: int) -> dict[str, int]:
    posts, votes = tables["posts"], _votes_by_day(tables["votes"])
    known = votes[votes["known_at"] <= end]
    balance = (known["up"] - known["down"]).groupby(known["post_id"]).sum()
    asked = posts[(posts["post_type"] == "question") & (posts["created_at"] <= end)]
    voted = asked[["post_id", "tags"]].assign(votes=asked["post_id"].map(balance).fillna(0)).explode("tags")
    totals = voted.groupby("tags")["votes"].sum().reset_index()
    ranked = totals.sort_values(["votes", "tags"], ascending=[False, True])["tags"].head(count)
    return {tag: slot for slot, tag in enumerate(ranked, start=1)}


def _flags(tags: pd.Series, slots: Mapping[str, int]) -> np.ndarray:
    """A binary matrix with one row per question and one column per slot."""
    flags = np.zeros((len(tags), TAG_SLOTS), dtype="int64")
    for row, names in enumerate(tags):
        for name in names if names is not None else ():
            if name in slots:
                flags[row, slots[name] - 1] = 1
    return flags


def _q_tags(pairs: pd.DataFrame, posts: pd.DataFrame, slots: Mapping[str, int]) -> pd.DataFrame:
    questions = pairs[["query_id"]].drop_duplicates().merge(posts, left_on="query_id", right_on="post_id")
    flags = _flags(questions["tags"], slots)
    shares = flags / np.maximum(1, flags.sum(axis=1, keepdims=True))
    names = [f"tag_{slot:02}" for slot in range(1, TAG_SLOTS + 1)]
    return pd.concat([questions[["query_id"]], pd.DataFrame(shares, columns=names)], axis=1)


def _comments(pairs: pd.DataFrame, comments: pd.DataFrame) -> pd.DataFrame:
    ordered = comments.assign(number=comments["comment_id"].astype("int64")).sort_values(["created_at", "number"])
    ordered = ordered.assign(known_at=ordered["created_at"], one=1)
    ordered["previous_id"] = ordered.groupby("post_id")["user_id"].shift()
    questions = pairs[["query_id", "asker_id"]].drop_duplicates().rename(columns={"query_id": "post_id"})
    on_question = ordered.merge(questions, on="post_id")
    by_asker = on_question["user_id"] == on_question["asker_id"]
    on_question["by_asker"] = by_asker.astype("int64")
    other = on_question["user_id"].where(~by_asker, on_question["previous_id"])
    turn = (by_asker & (other != on_question["asker_id"])) | (on_question["previous_id"] == on_question["asker_id"])
    concerned = on_question.assign(
        author_id=other.where(other != on_question["asker_id"]), by_answerer=(~by_asker).astype("int64"),
        sequential=(turn & other.notna() & (other != on_question["asker_id"])).astype("int64"),
    )  # fmt: skip
    answers = pairs[["candidate_id", "asker_id", "author_id"]].rename(columns={"candidate_id": "post_id"})
    on_answer = ordered.merge(answers, on="post_id")
    asker, author = on_answer["asker_id"], on_answer["author_id"]
    speaker, before = on_answer["user_id"], on_answer["previous_id"]
    on_answer["by_asker"] = (speaker == asker).astype("int64")
    on_answer["by_answerer"] = (speaker == author).astype("int64")
    follows = ((speaker == asker) & (before == author)) | ((speaker == author) & (before == asker))
    on_answer["sequential"] = (follows & (asker != author)).astype("int64")
    on_answer[list(MEASURES)] = [measure(body or "") for body in on_answer["body"]]
    as_question = pairs.assign(post_id=pairs["query_id"])
    as_answer = pairs.assign(post_id=pairs["candidate_id"])
    question = _until(as_question, on_question, ["post_id"], ["one", "by_asker"])
    answerer = _until(as_question, concerned, ["post_id", "author_id"], ["by_answerer", "sequential"])
    answer = _until(
        as_answer, on_answer, ["post_id"], ["one", "by_asker", "by_answerer", "sequential", *MEASURES]
    )  # fmt: skip
    return pairs[PAIR].assign(
        on_question=question["one"], on_answer=answer["one"],
        asker_on_question=question["by_asker"] > 0, asker_on_answer=answer["by_asker"] > 0,
        answerer_on_question=answerer["by_answerer"] > 0, answerer_on_answer=answer["by_answerer"] > 0,
        sequential=answer["sequential"] + answerer["sequential"],
        sentiment=_share(answer["sentiment"], SCALE * answer["sentences"]),
        toned_sentiment=_share(answer["toned_sentiment"], SCALE * answer["toned_sentences"]),
        any_on_answer=answer["one"] > 0,
    )  # fmt: skip


def _basic_u(pairs: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    posts = tables["posts"][tables["posts"]["post_type"].isin(["question", "answer"])]
    counts = ["asked", "answered", "commented", "up", "down", "accepted"]
    owners = posts[["post_id", "user_id", "thread_id"]]
    written = posts.assign(
        known_at=posts["created_at"], asked=(posts["post_type"] == "question").astype("int64"),
        answered=(posts["post_type"] == "answer").astype("int64"),
    )  # fmt: skip
    said = tables["comments"][["post_id", "user_id", "created_at"]].merge(owners[["post_id", "thread_id"]])
    voted = _votes_by_day(tables["votes"]).merge(owners)
    events = pd.concat([written, said.assign(known_at=said["created_at"], commented=1), voted])
    events = events.reindex(columns=["user_id", "thread_id", "known_at", *counts])
    events = events.fillna(dict.fromkeys(counts, 0)).rename(columns={"user_id": "author_id"})
    known = pairs[pairs["author_id"].notna()]
    net = _until(known, events, ["author_id"], counts) - _until(known, events, ["author_id", "thread_id"], counts)
    accounts = tables["users"].set_index("user_id")["created_at"]
    registered = known["author_id"].map(accounts)
    return known[PAIR].assign(
        created=_seconds(registered.where(registered <= known["cut"])),
        up_votes=net["up"], down_votes=net["down"],
        reputation=np.maximum(1, 1 + 10 * net["up"] - 2 * net["down"] + 15 * net["accepted"]),
        questions=net["asked"], answers=net["answered"], accepted=net["accepted"], comments=net["commented"],
    )  # fmt: skip


def _badges(pairs: pd.DataFrame, badges: pd.DataFrame, end: pd.Timestamp) -> pd.DataFrame:
    awards = badges[badges["earned_at"] <= end].groupby("name", as_index=False).size()
    names = awards.sort_values(["size", "name"], ascending=[False, True])["name"].head(BADGE_SLOTS)
    slots = {name: slot for slot, name in enumerate(names, start=1)}
    numbered = badges.assign(slot=badges["name"].map(slots), at=_seconds(badges["earned_at"])).dropna(subset=["slot"])
    first = numbered.pivot_table(index="user_id", columns="slot", values="at", aggfunc="min")
    known = pairs[pairs["author_id"].notna()]
    firsts = first.reindex(index=known["author_id"], columns=range(1, BADGE_SLOTS + 1))
    held = firsts.to_numpy() <= _seconds(known["cut"]).to_numpy()[:, None]
    columns = [f"badge_{slot:03}" for slot in range(1, BADGE_SLOTS + 1)]
    return pd.concat([known[PAIR], pd.DataFrame(held, index=known.index, columns=columns)], axis=1)


def _u_tags(pairs: pd.DataFrame, tables: Tables, slots: Mapping[str, int]) -> pd.DataFrame:
    posts = tables["posts"]
    tags = posts.loc[posts["post_type"] == "question", ["post_id", "tags"]].rename(columns={"post_id": "thread_id"})
    answers = posts.loc[posts["post_type"] == "answer", ["post_id", "thread_id", "user_id", "created_at"]].merge(tags)
    names = {kind: [f"{kind}_{slot:02}" for slot in range(1, TAG_SLOTS + 1)] for kind in ("answered", "accepted")}
    votes = tables["votes"]
    accepting = votes[votes["vote_type_id"] == 1]
    accepted = answers.merge(accepting[["post_id", "created_at"]].rename(columns={"created_at": "day"}), on="post_id")
    dated = {
        "answered": answers.assign(known_at=answers["created_at"]),
        "accepted": accepted.assign(known_at=accepted["day"].dt.floor("D") + DAY),
    }
    known = pairs[pairs["author_id"].notna()]
    shares = []
    for kind, rows in dated.items():
        flags = pd.DataFrame(_flags(rows["tags"], slots), columns=names[kind], index=rows.index)
        events = pd.concat([rows, flags], axis=1).rename(columns={"user_id": "author_id"})
        totals = _until(known, events, ["author_id"], names[kind])
        net = (totals - _until(known, events, ["author_id", "thread_id"], names[kind])).to_numpy()
        summed = net.sum(axis=1, keepdims=True)
        shares.append(pd.DataFrame(net / np.where(summed > 0, summed, 1), columns=names[kind], index=known.index))
    return pd.concat([known[PAIR], *shares], axis=1)


def _share(part: pd.Series, whole: pd.Series) -> pd.Series:
    return (part / whole.where(whole > 0, 1)).where(whole > 0, 0.0)


def _seconds(moments: pd.Series) -> pd.Series:
    return (moments - pd.Timestamp("1970-01-01", tz="UTC")) / pd.Timedelta(seconds=1)
