from collections import Counter, defaultdict
from pathlib import Path

import pytest
from lxml import etree

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.synth.stackexchange.dump import write_dump
from cqa_spark.synth.stackexchange.population import threads_for_size

SITE = "workshop.stackexchange.com"
THREADS = 1200  # three blocks of threads
TABLES = ("Badges", "Comments", "PostHistory", "PostLinks", "Posts", "Tags", "Users", "Votes")
# Attributes in the order of the dumps of 2023, with those that only some rows have.
ORDERS = {
    "Badges": "Id UserId Name Date Class TagBased",
    "Comments": "Id PostId Score Text CreationDate UserDisplayName UserId ContentLicense",
    "PostHistory": "Id PostHistoryTypeId PostId RevisionGUID CreationDate UserDisplayName UserId Comment Text "
    "ContentLicense",
    "PostLinks": "Id CreationDate PostId RelatedPostId LinkTypeId",
    "Posts": "Id PostTypeId AcceptedAnswerId ParentId CreationDate Score ViewCount Body OwnerUserId OwnerDisplayName "
    "LastEditorUserId LastEditDate LastActivityDate Title Tags AnswerCount CommentCount ClosedDate FavoriteCount "
    "ContentLicense",
    "Tags": "Id TagName Count ExcerptPostId WikiPostId",
    "Users": "Id Reputation CreationDate DisplayName LastAccessDate WebsiteUrl Location AboutMe Views UpVotes "
    "DownVotes AccountId",
    "Votes": "Id PostId VoteTypeId UserId CreationDate BountyAmount",
}

Rows = list[dict[str, str]]


def rows_of(folder: Path) -> dict[str, Rows]:
    return {name: [dict(row.attrib) for row in etree.parse(folder / f"{name}.xml").getroot()] for name in TABLES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dump(tmp_path_factory.mktemp("dump"), site=SITE, threads=THREADS, seed=3, workers=1).folder


@pytest.fixture(scope="module")
def dump(folder: Path) -> dict[str, Rows]:
    return rows_of(folder)


@pytest.fixture(scope="module")
def posts(dump: dict[str, Rows]) -> dict[str, dict[str, str]]:
    return {row["Id"]: row for row in dump["Posts"]}


def of_type(posts: dict[str, dict[str, str]], kind: str) -> Rows:
    return [row for row in posts.values() if row["PostTypeId"] == kind]


def test_bytes_do_not_depend_on_the_number_of_processes(folder: Path, tmp_path: Path) -> None:
    other = write_dump(tmp_path, site=SITE, threads=THREADS, seed=3, workers=3).folder
    assert len(TABLES) == 8
    for name in TABLES:
        assert (other / f"{name}.xml").read_bytes() == (folder / f"{name}.xml").read_bytes(), name


def test_another_seed_gives_another_dump(tmp_path: Path) -> None:
    one, two = (write_dump(tmp_path / str(seed), site=SITE, threads=20, seed=seed, workers=1) for seed in (1, 2))
    for name in ("Posts", "Users", "Comments", "Votes", "Badges", "Tags", "PostHistory"):
        assert (one.folder / f"{name}.xml").read_bytes() != (two.folder / f"{name}.xml").read_bytes(), name


def test_files_are_written_as_those_of_real_dumps(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.xml" for name in TABLES]
    for name in TABLES:
        first, root, *rows, end = (folder / f"{name}.xml").read_bytes().split(b"\r\n")
        assert first == b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>'
        assert (root, end) == (f"<{name.lower()}>".encode(), f"</{name.lower()}>".encode())
        assert all(row.startswith(b'  <row Id="') and row.endswith(b'" />') for row in rows)
        assert not any(b"\n" in row or b"\t" in row for row in rows)


def test_attributes_come_in_the_order_of_real_dumps(dump: dict[str, Rows]) -> None:
    assert dump.keys() == ORDERS.keys()
    for name, rows in dump.items():
        place = {attribute: at for at, attribute in enumerate(ORDERS[name].split())}
        for row in rows:
            places = [place[attribute] for attribute in row]
            assert places == sorted(places)
        assert {attribute for row in rows for attribute in row} == set(place), name


def test_ids_are_unique_and_ascend(dump: dict[str, Rows]) -> None:
    ids = {name: [int(row["Id"]) for row in rows] for name, rows in dump.items()}
    assert ids == {name: sorted(set(numbers)) for name, numbers in ids.items()}
    assert min(map(len, ids.values())) > 5


def test_answers_belong_to_questions_and_are_counted(posts: dict[str, dict[str, str]]) -> None:
    answers = Counter(row["ParentId"] for row in of_type(posts, "2"))
    questions = of_type(posts, "1")
    assert len(questions) == THREADS
    assert answers.keys() <= {row["Id"] for row in questions}
    assert [int(row["AnswerCount"]) for row in questions] == [answers[row["Id"]] for row in questions]
    assert max(answers.values()) <= 8
    assert 1.55 < answers.total() / THREADS < 1.85
    assert sum(count >= 4 for count in answers.values()) / THREADS >= 0.15


def test_accepted_answers_are_answers_of_their_question(
    dump: dict[str, Rows], posts: dict[str, dict[str, str]]
) -> None:
    accepted = {row["AcceptedAnswerId"]: row["Id"] for row in of_type(posts, "1") if "AcceptedAnswerId" in row}
    assert 0.35 < len(accepted) / THREADS < 0.6
    assert all(posts[answer]["ParentId"] == question for answer, question in accepted.items())
    assert sorted(row["PostId"] for row in dump["Votes"] if row["VoteTypeId"] == "1") == sorted(accepted)


def test_nobody_answers_a_question_twice_and_some_answer_their_own(posts: dict[str, dict[str, str]]) -> None:
    answers = [row for row in of_type(posts, "2") if "OwnerUserId" in row]
    assert max(Counter((row["ParentId"], row["OwnerUserId"]) for row in answers).values()) == 1
    assert any(posts[row["ParentId"]].get("OwnerUserId") == row["OwnerUserId"] for row in answers)


def test_scores_favourites_and_comments_are_counted(dump: dict[str, Rows], posts: dict[str, dict[str, str]]) -> None:
    votes = Counter((row["PostId"], row["VoteTypeId"]) for row in dump["Votes"])
    comments = Counter(row["PostId"] for row in dump["Comments"])
    assert {row["PostId"] for row in (*dump["Votes"], *dump["Comments"], *dump["PostHistory"])} <= posts.keys()
    for key, row in posts.items():
        assert int(row["Score"]) == votes[key, "2"] - votes[key, "3"]
        assert int(row["CommentCount"]) == comments[key]
        assert int(row.get("FavoriteCount", 0)) == votes[key, "5"]


def test_reputation_follows_from_the_votes(dump: dict[str, Rows], posts: dict[str, dict[str, str]]) -> None:
    points: Counter[str] = Counter()
    for vote in dump["Votes"]:
        post = posts[vote["PostId"]]
        owner, is_answer = post.get("OwnerUserId", "deleted"), post["PostTypeId"] == "2"
        own = is_answer and posts[post["ParentId"]].get("OwnerUserId") == owner
        points[owner] += {"1": 0 if own else 15, "2": 10 if is_answer else 5, "3": -2}.get(vote["VoteTypeId"], 0)
    reputation = {user["Id"]: int(user["Reputation"]) for user in dump["Users"]}
    assert reputation == {user: max(1, 1 + points[user]) for user in reputation}
    assert len(set(reputation.values())) > 5


def test_whoever_is_named_exists_and_did_it_after_joining(
    dump: dict[str, Rows], posts: dict[str, dict[str, str]]
) -> None:
    users = {row["Id"]: row for row in dump["Users"]}
    done = [(row["OwnerUserId"], row["CreationDate"]) for row in posts.values() if "OwnerUserId" in row]
    done += [(row["LastEditorUserId"], row["LastEditDate"]) for row in posts.values() if "LastEditorUserId" in row]
    for name in ("Comments", "PostHistory"):
        done += [(row["UserId"], row["CreationDate"]) for row in dump[name] if "UserId" in row]
    done += [(row["UserId"], row["Date"]) for row in dump["Badges"]]
    for user, time in done:
        assert users[user]["CreationDate"] < time
    last = dict(sorted((user, time) for user, time in done[: len(posts)]))
    assert all(users[user]["LastAccessDate"] >= time for user, time in last.items())
    assert {row["UserId"] for row in dump["Votes"] if "UserId" in row} <= users.keys()


def test_posts_of_deleted_accounts_keep_a_name(posts: dict[str, dict[str, str]]) -> None:
    ownerless = [row for row in posts.values() if "OwnerUserId" not in row]
    assert 0 < len(ownerless) < 0.08 * len(posts)
    assert all(row["OwnerDisplayName"].startswith("user") for row in ownerless)


def test_everything_happens_after_what_it_is_about(dump: dict[str, Rows], posts: dict[str, dict[str, str]]) -> None:
    for row in posts.values():
        if "ParentId" in row:
            assert posts[row["ParentId"]]["CreationDate"] < row["CreationDate"]
            assert posts[row["ParentId"]]["LastActivityDate"] >= row["CreationDate"]
        assert row["CreationDate"] <= row.get("LastEditDate", row["LastActivityDate"]) <= row["LastActivityDate"]
        assert row["CreationDate"] < row.get("ClosedDate", "9")
    for name in ("Comments", "PostHistory", "PostLinks"):
        assert all(posts[row["PostId"]]["CreationDate"] <= row["CreationDate"] for row in dump[name]), name
    for row in dump["Votes"]:
        assert posts[row["PostId"]]["CreationDate"][:10] <= row["CreationDate"][:10]
        assert row["CreationDate"].endswith("T00:00:00.000")


def test_links_lead_to_earlier_questions_and_duplicates_are_closed(
    dump: dict[str, Rows], posts: dict[str, dict[str, str]]
) -> None:
    assert {row["LinkTypeId"] for row in dump["PostLinks"]} == {"1", "3"}
    for row in dump["PostLinks"]:
        question, related = posts[row["PostId"]], posts[row["RelatedPostId"]]
        assert related["PostTypeId"] == "1"
        assert related["CreationDate"] < question["CreationDate"]
        if row["LinkTypeId"] == "3":
            assert question["ClosedDate"] == row["CreationDate"]
            assert question["Tags"] == related["Tags"]
        else:
            assert f'href="https://{SITE}/questions/{related["Id"]}"' in question["Body"]


def test_history_tells_the_first_and_the_last_version(dump: dict[str, Rows], posts: dict[str, dict[str, str]]) -> None:
    history: dict[str, dict[str, str]] = defaultdict(dict)
    for row in dump["PostHistory"]:
        history[row["PostId"]][row["PostHistoryTypeId"]] = row["Text"]
    assert history.keys() == posts.keys()
    for key, row in posts.items():
        kinds = history[key].keys()
        assert "2" in kinds
        if row["PostTypeId"] == "1":
            assert kinds >= {"1", "3"}
            assert history[key].get("4", history[key]["1"]) == row["Title"]
            assert history[key].get("6", history[key]["3"]) == row["Tags"]
            assert ("10" in kinds) == ("ClosedDate" in row)
        assert ("LastEditDate" in row) == bool(kinds & {"4", "5", "6"})
        if "5" in kinds:
            assert history[key]["5"].startswith(history[key]["2"])


def test_tags_are_counted_and_explained(dump: dict[str, Rows], posts: dict[str, dict[str, str]]) -> None:
    lists = (row["Tags"][1:-1].split("><") for row in of_type(posts, "1"))
    used = Counter(tag for tags in lists for tag in tags)
    assert {row["TagName"]: int(row["Count"]) for row in dump["Tags"] if row["Count"] != "0"} == used
    for row in dump["Tags"]:
        if "WikiPostId" in row:
            assert posts[row["ExcerptPostId"]]["PostTypeId"] == "4"
            assert posts[row["WikiPostId"]]["PostTypeId"] == "5"


def test_bounties_start_on_questions_and_close_on_answers(
    dump: dict[str, Rows], posts: dict[str, dict[str, str]]
) -> None:
    kinds = {"8": "1", "9": "2"}
    bounties = [row for row in dump["Votes"] if row["VoteTypeId"] in kinds]
    assert {row["VoteTypeId"] for row in bounties} == {"8", "9"}
    assert all(posts[row["PostId"]]["PostTypeId"] == kinds[row["VoteTypeId"]] for row in bounties)
    assert all(int(row["BountyAmount"]) % 50 == 0 for row in bounties)


@pytest.mark.parametrize("threads", [1, 5])
def test_the_smallest_sites_are_whole(tmp_path: Path, threads: int) -> None:
    dump = write_dump(tmp_path, site=SITE, threads=threads, seed=1)
    assert sum(row["PostTypeId"] == "1" for row in rows_of(dump.folder)["Posts"]) == threads
    assert dump.sizes == {name: (dump.folder / f"{name}.xml").stat().st_size for name in TABLES}


@pytest.mark.parametrize("seed", [1, 2])
def test_size_is_met(tmp_path: Path, seed: int) -> None:
    wanted = 3_000_000
    dump = write_dump(tmp_path, site=SITE, threads=threads_for_size(wanted), seed=seed, workers=1)
    assert abs(dump.sizes["Posts"] / wanted - 1) < 0.1


def test_progress_counts_threads(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    write_dump(
        tmp_path, site=SITE, threads=501, seed=1, workers=1, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(500, 501), (501, 501)]


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EnvironmentProblem, match="cannot write the dump"):
        write_dump(tmp_path / "file", site=SITE, threads=1, seed=1)


def test_the_share_of_duplicates_is_settable(tmp_path: Path) -> None:
    links = {}
    for share in (0.0, 0.4):
        made = write_dump(tmp_path / str(share), site=SITE, threads=200, seed=3, workers=1, duplicates=share)
        kinds = [row["LinkTypeId"] for row in rows_of(made.folder)["PostLinks"]]
        links[share] = kinds.count("3")
    assert links[0.0] == 0
    assert 30 < links[0.4] < 80  # of 80 drawn, those stay whose original repeats nothing itself
