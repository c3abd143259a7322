"""Generates the tables of a Stack Exchange site of any size as Parquet files, for benchmarks."""

from pathlib import Path

import numpy as np
import pandas as pd

SITE = "bench.example.org"
START = pd.Timestamp("2012-01-01", tz="UTC")
YEARS = 8
TAGS, BADGES = 300, 90
SENTENCES = (
    "Thanks, the {} works with any {}!", "This is wrong for a {} without {}.", "Could you add an example of a {} {}?",
    "I tried the {} and its {} fails.", "Great answer about {} and {}.", "See the {} in the manual of the {}.",
    "It depends on the {} of your {}.", "Why would you {} a {}?", "Horrible {}, worse {}.",
    "Edited the {}, thank you {}.",
)  # fmt: skip
WORDS = (
    "bottle", "yeast", "simple", "index", "error", "happy", "query", "broken", "cursor", "hop", "table", "nice",
    "thread",
    "kettle", "slow", "number", "pointer", "loop", "useful", "string",
    "server", "ugly", "filter", "grain", "version",
    "module", "safe", "parser", "window", "glass", "wheel", "brake", "chain", "lost", "saddle", "frame", "light",
    "proof", "bound", "graph", "path", "weak", "matrix", "field", "strong", "gate", "state", "circuit", "phase",
    "free", "noise",
)  # fmt: skip
"""Words that fill the gaps of sentences, so that few comments are equal."""


def write_site(folder: Path, *, posts: int, uneven: bool = False, seed: int = 1) -> None:
    """Write examples, posts, comments, users, votes and badges, one file each.

    Args:
        folder: target folder; it is created.
        posts: number of questions and answers, in the ratio 1 to 3; other tables are proportional.
        uneven: whether one user writes a fifth of all answers.
        seed: random seed.
    """
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    questions, users = posts // 4, max(20, posts // 5)
    asked = START + pd.to_timedelta(np.sort(rng.random(questions)) * YEARS * 365, unit="D")
    thread = np.sort(rng.integers(0, questions, posts - questions))
    answered = asked[thread] + pd.to_timedelta(rng.exponential(1.0, len(thread)), unit="D")
    activity = 1 / np.arange(1, users + 1) ** 0.6
    author = rng.choice(users, len(thread), p=activity / activity.sum())
    if uneven:
        author[rng.random(len(thread)) < 0.2] = 0
    asker = rng.integers(0, users, questions)
    tags = rng.zipf(1.4, (questions, 3)) % TAGS
    chosen = _one_each(thread, rng)
    accepted = np.full(questions, -1)
    accepted[thread[chosen]] = chosen
    accepted[rng.random(questions) < 0.4] = -1
    owner, created = np.concatenate([asker, author]), pd.DatetimeIndex(asked.append(answered))
    frame = pd.DataFrame({
        "post_id": _ids("p", np.arange(posts)),
        "post_type": np.repeat(["question", "answer"], [questions, len(thread)]),
        "thread_id": _ids("p", np.concatenate([np.arange(questions), thread])), "user_id": _ids("u", owner),
        "created_at": created,
        "accepted_answer_id": [
            *(f"p{questions + answer}" if answer >= 0 else None for answer in accepted), *[None] * len(thread)
        ],
        "tags": [*([f"t{tag}" for tag in sorted(set(row))] for row in tags), *[None] * len(thread)],
        "user_name": _nothing(posts, "string"), "category": _nothing(posts, "string"),
    })  # fmt: skip
    frame.loc[rng.random(posts) < 0.01, "user_id"] = None
    _write(folder, "posts", frame)
    _write(folder, "examples", _examples(frame, thread, accepted, questions))
    on = rng.integers(0, posts, posts + posts // 5)
    of_thread = np.concatenate([np.arange(questions), thread])
    answering = asker.copy()
    answering[thread] = author
    speakers = np.stack([rng.integers(0, users, len(on)), owner[on], asker[of_thread[on]], answering[of_thread[on]]])
    _write(folder, "comments", pd.DataFrame({
        "comment_id": np.arange(len(on)).astype(str), "post_id": _ids("p", on),
        "user_id": _ids("u", speakers[rng.integers(0, 4, len(on)), np.arange(len(on))]),
        "created_at": created[on] + pd.to_timedelta(rng.exponential(0.3, len(on)), unit="D"),
        "body": _bodies(rng, len(on)), "thread_id": _nothing(len(on), "string"),
        "position": _nothing(len(on), "Int32"), "user_name": _nothing(len(on), "string"),
    }))  # fmt: skip
    _write(folder, "votes", _votes(rng, created, accepted))
    holders = rng.integers(0, users, posts // 2)
    _write(folder, "badges", pd.DataFrame({
        "user_id": _ids("u", holders), "name": _ids("badge", rng.zipf(1.3, len(holders)) % BADGES),
        "earned_at": START + pd.to_timedelta(rng.random(len(holders)) * YEARS * 365, unit="D"),
    }))  # fmt: skip
    _write(folder, "users", pd.DataFrame({
        "user_id": _ids("u", np.arange(users)), "reputation": 1,
        "created_at": START + pd.to_timedelta(rng.random(users) * 365, unit="D"),
    }))  # fmt: skip


def _examples(posts: pd.DataFrame, thread: np.ndarray, accepted: np.ndarray, questions: int) -> pd.DataFrame:
    """The answers of threads with at least four answers, one of them accepted; every other thread is for training."""
    fit = (np.bincount(thread, minlength=questions) >= 4) & (accepted >= 0)
    answers = np.flatnonzero(fit[thread])
    query = _ids("p", thread[answers])
    relevant = accepted[thread[answers]] == answers
    by, at = posts["user_id"].to_numpy(), posts["created_at"].array
    return pd.DataFrame({
        "task": "preferred_answer", "query_id": query, "candidate_id": _ids("p", questions + answers),
        "thread_id": query, "fold_key": query, "author_id": by[questions + answers],
        "asker_id": by[thread[answers]], "asked_at": at[thread[answers]],
        "answered_at": at[questions + answers],
        "cut_at": pd.Series(pd.NaT, np.arange(len(answers)), "datetime64[ns, UTC]"), "role": "measured",
        "initial_rank": 1, "label": relevant.astype("int32"), "relevant": relevant,
        "split": np.where(thread[answers] % 2 == 0, "train", "test"),
    })  # fmt: skip


def _votes(rng: np.random.Generator, created: pd.DatetimeIndex, accepted: np.ndarray) -> pd.DataFrame:
    on = rng.integers(0, len(created), 3 * len(created))
    kind = np.where(rng.random(len(on)) < 0.9, 2, 3)
    chosen = len(accepted) + accepted[accepted >= 0]
    post = np.concatenate([on, chosen])
    days = created[post] + pd.to_timedelta(rng.exponential(60.0, len(post)), unit="D")
    kinds = np.concatenate([kind, np.ones(len(chosen), dtype=kind.dtype)]).astype("int32")
    return pd.DataFrame({"post_id": _ids("p", post), "vote_type_id": kinds, "created_at": days.floor("D")})


def _bodies(rng: np.random.Generator, count: int) -> list[str]:
    """Three sentences each."""
    sentences = rng.integers(0, len(SENTENCES), (count, 3))
    words = rng.integers(0, len(WORDS), (count, 3, 2))
    return [
        " ".join(
            SENTENCES[one].format(WORDS[first], WORDS[second]) for one, (first, second) in zip(row, gaps, strict=True)
        )
        for row, gaps in zip(sentences.tolist(), words.tolist(), strict=True)
    ]


def _nothing(count: int, kind: str) -> pd.Series:
    return pd.Series([None] * count, dtype=kind)


def _one_each(thread: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The index of one answer of every thread with answers."""
    drawn = np.lexsort((rng.random(len(thread)), thread))
    return drawn[np.unique(thread[drawn], return_index=True)[1]]


def _ids(prefix: str, numbers: np.ndarray) -> np.ndarray:
    return np.char.add(prefix, numbers.astype(str)).astype(object)


def _write(folder: Path, name: str, frame: pd.DataFrame) -> None:
    dated = frame.assign(site=SITE)
    for column in dated.select_dtypes("datetimetz"):
        dated[column] = dated[column].dt.floor("us").astype("datetime64[us, UTC]")
    dated.to_parquet(folder / f"{name}.parquet", index=False, row_group_size=200_000)
