"""A topic as JSON → its posts."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Post(NamedTuple):
    """A post of a topic, or the reason why the file has none.

    Attributes:
        post_id: number of the post in the forum; None if the topic cannot be read.
        thread_id: number of the question, the first post of the topic.
        user_id: number of the author.
        created_at: time of posting, ISO 8601.
        subject: title of the topic, of the question alone.
        body: text as HTML.
        tags: tags of the topic, of the question alone.
        accepted_answer_id: number of the solution, of the question alone.
        problem: why the topic cannot be read.
    """

    post_id: str | None
    thread_id: str | None = None
    user_id: str | None = None
    created_at: str | None = None
    subject: str | None = None
    body: str | None = None
    tags: list[str] | None = None
    accepted_answer_id: str | None = None
    problem: str | None = None


def posts_of(content: bytes) -> Iterator[Post]:
    """The posts of a topic; one with a problem if it is not a topic."""
    try:
        topic = json.loads(content)
        posts = sorted(topic["post_stream"]["posts"], key=lambda post: post["post_number"])
        question = str(posts[0]["id"])
        solution = next((str(post["id"]) for post in posts[1:] if post.get("accepted_answer")), None)
        read = [_post(post, question) for post in posts]
        first = read[0]._replace(
            subject=str(topic["title"]), tags=list(map(str, topic.get("tags", []))), accepted_answer_id=solution
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        yield Post(None, problem=f"it is no topic of Discourse: {type(error).__name__}: {error}")
        return
    yield from (first, *read[1:])


def _post(post: Mapping[str, Any], question: str) -> Post:
    return Post(str(post["id"]), question, str(post["user_id"]), str(post["created_at"]), body=str(post["cooked"]))
